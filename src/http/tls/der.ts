/** The few pieces of DER (X.690) that a certificate is written in. */

export const sequence = (...items: Buffer[]) => element(0x30, ...items);
export const set = (...items: Buffer[]) => element(0x31, ...items);
export const octetString = (content: Buffer) => element(0x04, content);
export const utf8String = (text: string) => element(0x0c, Buffer.from(text));
export const boolean = (value: boolean) => element(0x01, Buffer.from([value ? 0xff : 0]));
/** A numbered field around other elements (EXPLICIT). */
export const explicit = (number: number, ...items: Buffer[]) => element(0xa0 + number, ...items);
/** A numbered field that replaces the tag of a simple type (IMPLICIT). */
export const implicit = (number: number, content: Buffer) => element(0x80 + number, content);

/** A whole number that is not negative. */
export function integer(bytes: Buffer): Buffer {
  const firstUsed = bytes.findIndex((byte) => byte !== 0);
  const short = firstUsed < 0 ? Buffer.from([0]) : bytes.subarray(firstUsed);
  return element(0x02, short[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), short]) : short);
}

export function bitString(content: Buffer, unusedBits = 0): Buffer {
  return element(0x03, Buffer.from([unusedBits]), content);
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(sevenBitGroups)]));
}

/** Years from 2050 are written with four digits (RFC 5280, 4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits));
}

function element(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content]);
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return [0x80 + bytes.length, ...bytes];
}

function sevenBitGroups(value: number): number[] {
  const groups = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}
