/** Command-line values that must be one of a few. */
export function choose<T extends string>(option: string, allowed: readonly T[], value: string): T {
  const found = allowed.find((each) => each === value);
  if (!found) throw new Error(`--${option} ${value}: expected ${allowed.join(', ')}`);
  return found;
}

export function chooseSeveral<T extends string>(option: string, allowed: readonly T[], list: string): T[] {
  return list.split(',').map((value) => choose(option, allowed, value));
}
