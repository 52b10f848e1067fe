import type { Explain, Figure } from '../figure.ts';
import { countBy } from './outcome.ts';
import type { ChaosResult } from './run-chaos.ts';

/** Were nearly everything told to come again, nothing would have been shown. */
const rightShare = 0.5;

export function chaosFigures(
  result: ChaosResult,
  { seed, explain }: { seed: number; explain: Explain },
): Figure[] {
  const { outcomes, charges, leftBehind, setAside, down, seconds } = result;
  const faults = outcomes.filter(({ end }) => end === 'fault');
  const right = outcomes.filter(({ end }) => end === 'right').length;
  const retryable = outcomes.filter(({ end }) => end === 'retryable').map(({ detail }) => detail ?? '');
  // Without these a run of a quarter of an hour would have to be repeated.
  const named = faults.map(({ kind, detail }) => `fault: ${kind}: ${detail}`);
  for (const line of [...named, ...charges.differences, ...leftBehind, ...down]) console.error(line);
  explain(`to be tried again: ${countBy(retryable)}`);
  const title = `${outcomes.length} requests in ${Math.round(seconds)} s (seed ${seed})`;
  return [
    {
      title: `${title}: neither the right answer nor one that can be tried again`,
      value: `${faults.length} (${countBy(outcomes.map(({ end }) => end))})`,
      bar: '0',
      passes: faults.length === 0,
    },
    {
      title: 'the same: answered rightly',
      value: `${((right / outcomes.length) * 100).toFixed(0)} %`,
      bar: `${rightShare * 100} %`,
      passes: right >= rightShare * outcomes.length,
    },
    {
      title: 'the same: differences between ledger and answers',
      value: `${charges.differences.length} (${Math.round(charges.chargedSeconds)} s charged)`,
      bar: '0',
      passes: charges.differences.length === 0,
    },
    {
      title: 'the same: charged, and the answer lost with its connection',
      value: String(charges.lostAnswers),
      bar: 'only then',
      passes: true,
    },
    {
      title: 'the same: leases, reservations, jobs, audio, places, files left behind',
      value: String(leftBehind.length),
      bar: '0',
      passes: leftBehind.length === 0,
    },
    {
      title: 'the same: records of windows with which two workers died, kept for a day without their audio',
      value: String(setAside),
      bar: 'only then',
      passes: true,
    },
    {
      title: 'the same: processes that ended by themselves or do not answer',
      value: String(down.length),
      bar: '0',
      passes: down.length === 0,
    },
  ];
}
