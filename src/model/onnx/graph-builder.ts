import { MessageWriter } from './protobuf.ts';

/** The name of a tensor inside a graph. */
export type TensorName = string;

export type TensorType = 'float32' | 'uint8' | 'int8' | 'int32' | 'int64' | 'bool';
export type Dimension = number | string;
export type Attribute = number | string | number[] | GraphBuilder;
export type TensorData = Float32Array | Uint8Array | Int8Array | Int32Array | BigInt64Array;

const typeCodes: Record<TensorType, number> = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7, bool: 9 };

/**
 * Large weights in a file beside the graph: onnxruntime maps it into memory instead of copying it through the parser, which
 * saves a second and some hundred megabytes at every start.
 */
export class OutsideWeights {
  readonly file: string;
  readonly pieces: Uint8Array[] = [];
  #length = 0;

  constructor(file: string) {
    this.file = file;
  }

  /** Returns where the bytes begin; every tensor begins on a page of its own. */
  add(bytes: Uint8Array): number {
    const offset = this.#length;
    const padding = (pageBytes - (bytes.length % pageBytes)) % pageBytes;
    this.pieces.push(bytes, new Uint8Array(padding));
    this.#length += bytes.length + padding;
    return offset;
  }
}

const pageBytes = 4096;

/** Writes an ONNX graph node by node, in the order of execution. */
export class GraphBuilder {
  readonly #graph = new MessageWriter();
  readonly #constants = new Map<string, TensorName>();
  readonly #prefix: string;
  readonly #outside: OutsideWeights | undefined;
  #nodes = 0;

  /** Names inside a nested graph must differ from those around it: give each a prefix. */
  constructor(prefix = '', outside?: OutsideWeights) {
    this.#prefix = prefix;
    this.#outside = outside;
  }

  input(name: TensorName, type: TensorType, shape: Dimension[]): TensorName {
    this.#graph.message(11, valueInfo(name, type, shape));
    return name;
  }

  output(name: TensorName, type: TensorType, shape: Dimension[]): void {
    this.#graph.message(12, valueInfo(name, type, shape));
  }

  /** Stores a weight. */
  weight(name: TensorName, data: TensorData, shape: number[]): TensorName {
    this.#graph.message(5, tensor(name, data, shape, this.#outside));
    return name;
  }

  /** A small constant; equal ones are stored once. */
  constant(data: TensorData, shape: number[] = data.length === 1 ? [] : [data.length]): TensorName {
    const key = `${data.constructor.name}:${shape.join('x')}:${data.join()}`;
    const known = this.#constants.get(key);
    if (known) return known;
    const name = this.weight(`${this.#prefix}constant_${this.#constants.size}`, data, shape);
    this.#constants.set(key, name);
    return name;
  }

  ints(...values: number[]): TensorName {
    return this.constant(BigInt64Array.from(values, BigInt), [values.length]);
  }

  /** Adds an operator with one result. `contrib` names onnxruntime's own operators. */
  node(operator: string, inputs: TensorName[], attributes: Record<string, Attribute> = {}): TensorName {
    const output = `${this.#prefix}${operator}_${this.#nodes}`;
    this.nodeTo([output], operator, inputs, attributes);
    return output;
  }

  contrib(operator: string, inputs: TensorName[], attributes: Record<string, Attribute> = {}): TensorName {
    const output = `${this.#prefix}${operator}_${this.#nodes}`;
    this.contribTo([output], operator, inputs, attributes);
    return output;
  }

  nodeTo(
    outputs: TensorName[],
    operator: string,
    inputs: TensorName[],
    attributes: Record<string, Attribute> = {},
  ): void {
    this.#add(outputs, operator, inputs, attributes, '');
  }

  contribTo(
    outputs: TensorName[],
    operator: string,
    inputs: TensorName[],
    attributes: Record<string, Attribute> = {},
  ): void {
    this.#add(outputs, operator, inputs, attributes, 'com.microsoft');
  }

  #add(
    outputs: TensorName[],
    operator: string,
    inputs: TensorName[],
    attributes: Record<string, Attribute>,
    domain: string,
  ): void {
    const node = new MessageWriter();
    for (const input of inputs) node.string(1, input);
    for (const output of outputs) node.string(2, output);
    node.string(3, `${this.#prefix}${operator}_${this.#nodes++}`).string(4, operator);
    for (const [name, value] of Object.entries(attributes)) node.message(5, attribute(name, value));
    if (domain) node.string(7, domain);
    this.#graph.message(1, node);
  }

  /** The pieces of the whole file, to be written one after another. */
  model(name: string): Uint8Array[] {
    this.#graph.string(2, name);
    return new MessageWriter()
      .varint(1, 10)
      .string(2, 'siann')
      .message(7, this.#graph)
      .message(8, new MessageWriter().string(1, '').varint(2, 20))
      .message(8, new MessageWriter().string(1, 'com.microsoft').varint(2, 1)).pieces;
  }

  /** The graph as an attribute of an `If`. */
  get message(): MessageWriter {
    return new MessageWriter().string(2, this.#prefix).append(this.#graph);
  }
}

function valueInfo(name: string, type: TensorType, shape: Dimension[]): MessageWriter {
  const dimensions = new MessageWriter();
  for (const size of shape) {
    const dimension = new MessageWriter();
    if (typeof size === 'number') dimension.varint(1, size);
    else dimension.string(2, size);
    dimensions.message(1, dimension);
  }
  const tensorType = new MessageWriter().varint(1, typeCodes[type]).message(2, dimensions);
  return new MessageWriter().string(1, name).message(2, new MessageWriter().message(1, tensorType));
}

function tensor(
  name: string,
  data: TensorData,
  shape: number[],
  outside: OutsideWeights | undefined,
): MessageWriter {
  const message = new MessageWriter();
  for (const size of shape) message.varint(1, size);
  message.varint(2, typeCodes[typeOf(data)]).string(8, name);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (!outside || bytes.length < pageBytes) return message.bytes(9, bytes);
  const externalData = { location: outside.file, offset: outside.add(bytes), length: bytes.length };
  for (const [key, value] of Object.entries(externalData)) {
    message.message(13, new MessageWriter().string(1, key).string(2, String(value)));
  }
  return message.varint(14, 1);
}

function typeOf(data: TensorData): TensorType {
  if (data instanceof Float32Array) return 'float32';
  if (data instanceof Uint8Array) return 'uint8';
  if (data instanceof Int8Array) return 'int8';
  if (data instanceof Int32Array) return 'int32';
  return 'int64';
}

const [floatKind, intKind, stringKind, graphKind, intsKind] = [1, 2, 3, 5, 7];

function attribute(name: string, value: Attribute): MessageWriter {
  const message = new MessageWriter().string(1, name);
  if (typeof value === 'string') return message.string(4, value).varint(20, stringKind);
  if (value instanceof GraphBuilder) return message.message(6, value.message).varint(20, graphKind);
  if (Array.isArray(value)) {
    for (const item of value) message.varint(8, item);
    return message.varint(20, intsKind);
  }
  if (Number.isInteger(value)) return message.varint(3, value).varint(20, intKind);
  return message.float(2, value).varint(20, floatKind);
}
