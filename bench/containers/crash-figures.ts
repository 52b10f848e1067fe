import { countBy } from '../chaos/outcome.ts';
import { atLeast, type Explain, type Figure, none } from '../figures/figure.ts';
import type { CrashRunResult } from './run-crashes.ts';

/** Were nearly everything told to come again, nothing would have been shown. */
const rightPercent = 25;

export function crashFigures(result: CrashRunResult, explain: Explain): Figure[] {
  const { outcomes, crashes, charges, leftBehind, setAside, seconds } = result;
  const faults = outcomes.filter(({ end }) => end === 'fault');
  const right = outcomes.filter(({ end }) => end === 'right').length;
  for (const { kind, detail } of faults) console.error(`fault: ${kind}: ${detail}`);
  for (const line of [...charges.differences, ...leftBehind]) console.error(line);
  const retryable = outcomes.filter(({ end }) => end === 'retryable').map(({ detail }) => detail ?? '');
  explain(`to be tried again: ${countBy(retryable)}`);
  const killed = crashes.map(({ container, child }) => {
    if (!child) return container.service;
    return container.service === 'worker' ? 'inference process' : 'decoder';
  });
  const what = `${crashes.length} kills`;
  return [
    {
      id: 'kills',
      what: 'Containers and processes in them, killed under load',
      value: crashes.length,
      note: `${countBy(killed)}; ${Math.round(seconds)} s`,
    },
    {
      id: 'faults',
      what: `${what}: answers that are neither right nor to be tried again`,
      ...none(faults.length),
      note: countBy(outcomes.map(({ end }) => end)),
    },
    {
      id: 'right',
      what: `${what}: requests answered rightly`,
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
    { id: 'left-behind', what: `${what}: reservations left behind`, ...none(leftBehind.length) },
    {
      id: 'set-aside',
      what: `${what}: records of windows with which two workers died, kept for a day`,
      value: setAside,
      minor: true,
    },
  ];
}
