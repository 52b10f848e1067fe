/** Numbers that look random and are the same for the same seed. */
export type Random = {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number from 0 up to `below`. */
  below(below: number): number;
  pick<T>(choices: readonly T[]): T;
};

/** xorshift32 (Marsaglia, 2003). */
export function createRandom(seed: number): Random {
  // Neighbouring seeds must not give neighbouring numbers, and nought would give nothing but nought.
  let state = (Math.imul(seed + 1, 0x9e3779b1) ^ 0x5bd1e995) | 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 10; i++) next();
  const below = (limit: number) => Math.floor(next() * limit);
  return { next, below, pick: (choices) => choices[below(choices.length)]! };
}
