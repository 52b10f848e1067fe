import { type Explain, type Figure, none } from '../figures/figure.ts';
import { outcomeFigures } from './outcome-figures.ts';
import type { ChaosResult } from './run-chaos.ts';

export function chaosFigures(result: ChaosResult, explain: Explain): Figure[] {
  const { outcomes, down } = result;
  for (const line of down) console.error(line);
  const what = `${outcomes.length} requests under mishaps`;
  const leftBehind = 'leases, reservations, jobs, audio, permits, files';
  return [
    ...outcomeFigures(result, { what, leftBehind, rightPercent: 50 }, explain),
    {
      id: 'down',
      what: `${what}: processes that ended by themselves or do not answer`,
      ...none(down.length),
    },
  ];
}
