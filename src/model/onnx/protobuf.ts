/** The part of the protocol-buffer wire format that ONNX files use (https://protobuf.dev/programming-guides/encoding). */

export type Field = { number: number; varint: number; bytes: Uint8Array };

const noBytes = new Uint8Array(0);

/** Walks the fields of one message. Length-delimited values are views, so that a 100 MB tensor is not copied. */
export function* readFields(message: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++];
      if (byte === undefined) throw new Error('protobuf message ends inside a number');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const slice = (length: number): Uint8Array => {
    if (at + length > message.length) throw new Error('protobuf message ends inside a field');
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case 0:
        yield { number, varint: varint(), bytes: noBytes };
        break;
      case 1:
        yield { number, varint: 0, bytes: slice(8) };
        break;
      case 2:
        yield { number, varint: 0, bytes: slice(varint()) };
        break;
      case 5:
        yield { number, varint: 0, bytes: slice(4) };
        break;
      default:
        throw new Error(`protobuf wire type ${tag % 8} is not known`);
    }
  }
}

/** A message under construction: a list of pieces whose large members are never copied until they are written out. */
export class MessageWriter {
  readonly pieces: Uint8Array[] = [];
  length = 0;

  varint(number: number, value: number | bigint): this {
    return this.#push(encodeVarint(number * 8), encodeVarint(value));
  }

  float(number: number, value: number): this {
    return this.#push(encodeVarint(number * 8 + 5), new Uint8Array(new Float32Array([value]).buffer));
  }

  string(number: number, value: string): this {
    return this.bytes(number, new TextEncoder().encode(value));
  }

  bytes(number: number, value: Uint8Array): this {
    return this.#push(encodeVarint(number * 8 + 2), encodeVarint(value.length), value);
  }

  message(number: number, value: MessageWriter): this {
    return this.#push(encodeVarint(number * 8 + 2), encodeVarint(value.length), ...value.pieces);
  }

  append(other: MessageWriter): this {
    return this.#push(...other.pieces);
  }

  #push(...pieces: Uint8Array[]): this {
    for (const piece of pieces) {
      this.pieces.push(piece);
      this.length += piece.length;
    }
    return this;
  }
}

function encodeVarint(value: number | bigint): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(value));
  const out: number[] = [];
  while (rest > 127n) {
    out.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  out.push(Number(rest));
  return Uint8Array.from(out);
}
