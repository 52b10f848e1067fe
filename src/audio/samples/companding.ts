/** ITU-T G.711: one byte a sample, as telephones send it. */

export const muLawSamples: Float32Array = tabulate((code) => {
  const inverted = ~code & 0xff;
  const magnitude = (((inverted & 0x0f) << 3) + 0x84) << ((inverted & 0x70) >> 4);
  return (inverted & 0x80 ? 0x84 - magnitude : magnitude - 0x84) / 32_768;
});

export const aLawSamples: Float32Array = tabulate((code) => {
  const toggled = code ^ 0x55;
  const exponent = (toggled & 0x70) >> 4;
  const mantissa = ((toggled & 0x0f) << 4) + 8;
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1);
  return (toggled & 0x80 ? magnitude : -magnitude) / 32_768;
});

function tabulate(decode: (code: number) => number): Float32Array {
  return Float32Array.from({ length: 256 }, (_, code) => decode(code));
}
