import { atLeast, type Explain, type Figure, none } from '../figures/figure.ts';
import { countBy, type Outcome } from './outcome.ts';

export type DisturbedRun = {
  outcomes: readonly Outcome[];
  charges: { differences: readonly string[]; chargedSeconds: number; lostAnswers: number };
  leftBehind: readonly string[];
  /** Records of windows with which two workers died. */
  setAside: number;
};

type Titles = {
  /** What happened to the requests: "1000 kills". */
  what: string;
  /** What was looked for after the run. */
  leftBehind: string;
  /** Were nearly everything told to come again, nothing would have been shown. */
  rightPercent: number;
};

/** What requests got while the service was disturbed, and whether the ledger agrees. */
export function outcomeFigures(
  { outcomes, charges, leftBehind, setAside }: DisturbedRun,
  { what, leftBehind: lookedFor, rightPercent }: Titles,
  explain: Explain,
): Figure[] {
  const faults = outcomes.filter(({ end }) => end === 'fault');
  const right = outcomes.filter(({ end }) => end === 'right').length;
  const retryable = outcomes.filter(({ end }) => end === 'retryable').map(({ detail }) => detail ?? '');
  // Without these a run of a quarter of an hour would have to be repeated.
  const named = faults.map(({ kind, detail }) => `fault: ${kind}: ${detail}`);
  for (const line of [...named, ...charges.differences, ...leftBehind]) console.error(line);
  explain(`to be tried again: ${countBy(retryable)}`);
  return [
    {
      id: 'faults',
      what: `${what}: neither the right answer nor one that can be tried again`,
      ...none(faults.length),
      note: countBy(outcomes.map(({ end }) => end)),
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
    { id: 'left-behind', what: `${what}: ${lookedFor} left behind`, ...none(leftBehind.length) },
    {
      id: 'set-aside',
      what: `${what}: records of windows with which two workers died, kept for a day`,
      value: setAside,
      minor: true,
    },
  ];
}
