import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Field, MessageWriter, readFields } from '../../../src/model/onnx/protobuf.ts';

type Written = { number: number } & (
  | { varint: number }
  | { float: number }
  | { string: string }
  | { bytes: Uint8Array }
  | { message: Written[] }
);

const { fields } = fc.letrec<{ fields: Written[]; field: Written }>((tie) => {
  const number = fc.integer({ min: 1, max: 2 ** 20 });
  return {
    fields: fc.array(tie('field'), { maxLength: 6 }),
    field: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.record({ number, varint: fc.maxSafeNat() }),
      fc.record({ number, float: fc.float({ noNaN: true }) }),
      fc.record({ number, string: fc.string({ unit: 'grapheme' }) }),
      fc.record({ number, bytes: fc.uint8Array() }),
      fc.record({ number, message: tie('fields') }),
    ),
  };
});

test('every field that is written is read back, in order', () => {
  fc.assert(
    fc.property(fields, (written) => {
      checkFields(toBytes(written), written);
    }),
  );
});

test('a message that breaks off gives its first fields and then an error, never a wrong field', () => {
  fc.assert(
    fc.property(fields, fc.nat(), (written, at) => {
      const bytes = toBytes(written);
      const broken = bytes.subarray(0, at % (bytes.length + 1));
      const all = [...readFields(bytes)];
      const read: Field[] = [];
      try {
        for (const field of readFields(broken)) read.push(field);
      } catch {
        assert(broken.length < bytes.length);
      }
      assert.deepEqual(read, all.slice(0, read.length));
    }),
  );
});

test('a negative number is written as the 64 bits that ONNX expects', () => {
  const bytes = Buffer.concat(new MessageWriter().varint(3, -1).pieces);
  assert.deepEqual([...bytes], [3 * 8, ...new Array(9).fill(0xff), 0x01]);
});

test('fields of kinds that ONNX does not use are stepped over', () => {
  const fixed64 = [(4 << 3) | 1, 1, 2, 3, 4, 5, 6, 7, 8];
  const fixed32 = [(5 << 3) | 5, 1, 0, 0, 0];
  const read = [...readFields(Uint8Array.of(...fixed64, ...fixed32, 6 << 3, 7))];
  assert.deepEqual(
    read.map(({ number, varint }) => [number, varint]),
    [
      [4, 0],
      [5, 0],
      [6, 7],
    ],
  );
  assert.throws(() => [...readFields(Uint8Array.of((1 << 3) | 3))], /wire type 3 is not known/);
});

function toBytes(written: Written[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(write(written).pieces));
}

function write(written: Written[]): MessageWriter {
  const writer = new MessageWriter();
  for (const field of written) {
    if ('varint' in field) writer.varint(field.number, field.varint);
    else if ('float' in field) writer.float(field.number, field.float);
    else if ('string' in field) writer.string(field.number, field.string);
    else if ('bytes' in field) writer.bytes(field.number, field.bytes);
    else writer.message(field.number, write(field.message));
  }
  return writer;
}

function checkFields(bytes: Uint8Array, written: Written[]): void {
  const read = [...readFields(bytes)];
  assert.equal(read.length, written.length);
  for (const [index, field] of written.entries()) {
    const { number, varint, bytes: content } = read[index]!;
    assert.equal(number, field.number);
    if ('varint' in field) assert.equal(varint, field.varint);
    else if ('float' in field) {
      const stored = new DataView(content.buffer, content.byteOffset, 4).getFloat32(0, true);
      assert.equal(stored, Math.fround(field.float));
    } else if ('string' in field)
      assert.equal(new TextDecoder('utf-8', { ignoreBOM: true }).decode(content), field.string);
    else if ('bytes' in field) assert.deepEqual(Uint8Array.from(content), field.bytes);
    else checkFields(content, field.message);
  }
}
