/** The middle one, or half-way between the two in the middle; what was not measured does not count. */
export function median(numbers: (number | undefined)[]): number | undefined {
  const sorted = numbers.filter((value) => value !== undefined).sort((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}
