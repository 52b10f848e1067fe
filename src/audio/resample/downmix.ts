/** The mean of the channels, which is never louder than full scale. */
export function downmix(channels: Float32Array[]): Float32Array {
  const [first, second] = channels;
  if (!first) return new Float32Array(0);
  if (!second) return first;
  const mono = new Float32Array(first.length);
  if (channels.length === 2) {
    for (let i = 0; i < mono.length; i++) mono[i] = (first[i]! + second[i]!) * 0.5;
    return mono;
  }
  const gain = 1 / channels.length;
  for (const channel of channels) {
    for (let i = 0; i < mono.length; i++) mono[i]! += channel[i]! * gain;
  }
  return mono;
}
