/** Samples as sessions take them in: 16 bits, little-endian. */
export function toLinear16(samples: Float32Array): Uint8Array {
  const bytes = new Uint8Array(samples.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < samples.length; i++) {
    view.setInt16(i * 2, Math.max(-32_768, Math.min(32_767, Math.round(samples[i]! * 32_768))), true);
  }
  return bytes;
}
