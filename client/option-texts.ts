/** Options as they are sent: `sampleRate` is `sample_rate` on the wire, and the words of a list have commas between them. */
export function optionTexts(options: object): [name: string, text: string][] {
  return Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      Array.isArray(value) ? value.join(',') : String(value),
    ]);
}
