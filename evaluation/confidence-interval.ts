import { createRandom } from './random.ts';
import { addScores, errorRate, type Score } from './scoring.ts';

const resamplings = 1000;
const outside = 0.05;

/** Where the error rate would lie with other sentences of the same kind: 95 % of resamplings of these (bootstrap, the same every time). */
export function errorInterval(scores: readonly Score[]): [number, number] {
  const random = createRandom(1);
  const rates = Array.from({ length: resamplings }, () =>
    errorRate(addScores(scores.map(() => scores[random.below(scores.length)]!))),
  ).sort((one, other) => one - other);
  const at = (part: number) => rates[Math.round(part * (resamplings - 1))]!;
  return [at(outside / 2), at(1 - outside / 2)];
}
