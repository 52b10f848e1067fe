import { atLeast, type Explain, type Figure, none } from '../figures/figure.ts';
import { countBy } from './outcome.ts';
import type { ChaosResult } from './run-chaos.ts';

/** Were nearly everything told to come again, nothing would have been shown. */
const rightPercent = 50;

export function chaosFigures(result: ChaosResult, explain: Explain): Figure[] {
  const { outcomes, charges, leftBehind, setAside, down, seconds } = result;
  const faults = outcomes.filter(({ end }) => end === 'fault');
  const right = outcomes.filter(({ end }) => end === 'right').length;
  const retryable = outcomes.filter(({ end }) => end === 'retryable').map(({ detail }) => detail ?? '');
  // Without these a run of a quarter of an hour would have to be repeated.
  const named = faults.map(({ kind, detail }) => `fault: ${kind}: ${detail}`);
  for (const line of [...named, ...charges.differences, ...leftBehind, ...down]) console.error(line);
  explain(`to be tried again: ${countBy(retryable)}`);
  const what = `${outcomes.length} requests under mishaps`;
  return [
    {
      id: 'faults',
      what: `${what}: neither the right answer nor one that can be tried again`,
      ...none(faults.length),
      note: `${countBy(outcomes.map(({ end }) => end))}; ${Math.round(seconds)} s`,
    },
    {
      id: 'right',
      what: `${what}: answered rightly`,
      ...atLeast(rightPercent, (right / outcomes.length) * 100),
      unit: '%',
    },
    {
      id: 'ledger',
      what: `${what}: differences between ledger and answers`,
      ...none(charges.differences.length),
      note: `${Math.round(charges.chargedSeconds)} s charged`,
    },
    {
      id: 'lost-answers',
      what: `${what}: charged, and the answer lost with its connection`,
      value: charges.lostAnswers,
    },
    {
      id: 'left-behind',
      what: `${what}: leases, reservations, jobs, audio, permits, files left behind`,
      ...none(leftBehind.length),
    },
    {
      id: 'set-aside',
      what: `${what}: records of windows with which two workers died, kept for a day`,
      value: setAside,
      minor: true,
    },
    {
      id: 'down',
      what: `${what}: processes that ended by themselves or do not answer`,
      ...none(down.length),
    },
  ];
}
