/** Options as they are sent: `sampleRate` is `sample_rate` on the wire, and a list is one text with commas. */
export function optionTexts(options: object): [name: string, text: string][] {
  return Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      Array.isArray(value) ? value.join(',') : String(value),
    ]);
}
