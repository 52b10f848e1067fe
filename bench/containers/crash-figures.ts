import { countBy } from '../chaos/outcome.ts';
import { outcomeFigures } from '../chaos/outcome-figures.ts';
import type { Explain, Figure } from '../figures/figure.ts';
import type { CrashRunResult } from './run-crashes.ts';

export function crashFigures(result: CrashRunResult, explain: Explain): Figure[] {
  const { crashes, seconds } = result;
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
    ...outcomeFigures(result, { what, leftBehind: 'reservations', rightPercent: 25 }, explain),
  ];
}
