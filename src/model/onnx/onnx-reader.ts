import { readFields } from './protobuf.ts';

/** What is needed of a published ONNX file: its stored tensors, and which tensor each named matrix product uses. */
export type OnnxFile = { tensors: Map<string, StoredTensor>; products: MatrixProduct[] };

export type StoredTensor = { shape: number[]; elementType: ElementType; bytes: Uint8Array };

export type ElementType = 'float32' | 'uint8' | 'int8' | 'int64' | 'other';

/** A quantised MatMul or Conv node: its name says where in the network it stands. */
export type MatrixProduct = { name: string; weight: string };

const elementTypes: Record<number, ElementType> = { 1: 'float32', 2: 'uint8', 3: 'int8', 7: 'int64' };

export function readOnnx(file: Uint8Array): OnnxFile {
  const found: OnnxFile = { tensors: new Map(), products: [] };
  for (const field of readFields(file)) if (field.number === 7) readGraph(field.bytes, found);
  return found;
}

function readGraph(graph: Uint8Array, found: OnnxFile): void {
  for (const field of readFields(graph)) {
    if (field.number === 1) readNode(field.bytes, found);
    else if (field.number === 5) readTensor(field.bytes, found);
  }
}

function readNode(node: Uint8Array, found: OnnxFile): void {
  const inputs: string[] = [];
  let name = '';
  let operator = '';
  for (const field of readFields(node)) {
    if (field.number === 1) inputs.push(text(field.bytes));
    else if (field.number === 3) name = text(field.bytes);
    else if (field.number === 4) operator = text(field.bytes);
    else if (field.number === 5) readAttribute(field.bytes, found);
  }
  const weight = inputs[1];
  if ((operator === 'MatMulInteger' || operator === 'ConvInteger') && weight !== undefined) {
    found.products.push({ name, weight });
  }
}

/** Only the graphs inside an `If` matter: the published decoder is two of them. */
function readAttribute(attribute: Uint8Array, found: OnnxFile): void {
  for (const field of readFields(attribute)) if (field.number === 6) readGraph(field.bytes, found);
}

function readTensor(tensor: Uint8Array, found: OnnxFile): void {
  const shape: number[] = [];
  const small: number[] = [];
  let elementType: ElementType = 'other';
  let name = '';
  let bytes: Uint8Array | undefined;
  for (const field of readFields(tensor)) {
    if (field.number === 1)
      shape.push(...(field.bytes.length > 0 ? packedVarints(field.bytes) : [field.varint]));
    else if (field.number === 2) elementType = elementTypes[field.varint] ?? 'other';
    else if (field.number === 4) bytes = field.bytes;
    else if (field.number === 5)
      small.push(...(field.bytes.length > 0 ? packedVarints(field.bytes) : [field.varint]));
    else if (field.number === 8) name = text(field.bytes);
    else if (field.number === 9) bytes = field.bytes;
  }
  found.tensors.set(name, { shape, elementType, bytes: bytes ?? Uint8Array.from(small) });
}

function packedVarints(bytes: Uint8Array): number[] {
  const out: number[] = [];
  let value = 0;
  let factor = 1;
  for (const byte of bytes) {
    value += (byte & 127) * factor;
    factor *= 128;
    if (byte < 128) {
      out.push(value);
      value = 0;
      factor = 1;
    }
  }
  return out;
}

const decoder = new TextDecoder();
const text = (bytes: Uint8Array): string => decoder.decode(bytes);
