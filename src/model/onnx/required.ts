/** A tensor that the network cannot do without. */
export function required<T>(tensors: ReadonlyMap<string, T>, name: string): T {
  const tensor = tensors.get(name);
  if (tensor === undefined) throw new Error(`the published weights have no ${name}`);
  return tensor;
}
