import type { LedgerEntryRow } from '../../src/storage/tables.ts';
import { compareTotals } from '../service/ledger-check.ts';
import type { ServiceFolder } from '../service/service-folder.ts';
import type { Outcome } from './outcome.ts';

export type ChargeCheck = {
  /** Every way in which the ledger is not the sum of what clients were told. */
  differences: string[];
  /**
   * Charges whose answers nobody got, because the connection broke when the answer had been written, or had been charged
   * and was about to be: the one case that no ledger can rule out.
   */
  lostAnswers: number;
  chargedSeconds: number;
};

/** Streams round their seconds for the client. */
const roundingMs = 2;

export function checkCharges(
  { withDatabase }: Pick<ServiceFolder, 'withDatabase'>,
  outcomes: Outcome[],
): Promise<ChargeCheck> {
  return withDatabase(async ({ queries }) => {
    const entries = await queries
      .selectFrom('ledger_entries')
      .selectAll()
      .where('kind', '=', 'settle')
      .execute();
    const unclaimed = new Map(entries.map((entry) => [entry.request_id, entry]));
    const differences: string[] = [];
    let lostAnswers = 0;
    for (const outcome of outcomes) {
      if (outcome.requestId === undefined) continue;
      const charge = unclaimed.get(outcome.requestId);
      unclaimed.delete(outcome.requestId);
      if (charge && mayBeUnanswered(outcome)) lostAnswers++;
      const difference = differenceOf(outcome, charge);
      if (difference) differences.push(`${outcome.kind} ${outcome.requestId}: ${difference}`);
    }
    const nameless = outcomes.filter((each) => each.requestId === undefined && mayBeUnanswered(each));
    for (const charge of unclaimed.values()) {
      const fitting = nameless.findIndex((outcome) => fits(outcome, charge));
      if (fitting >= 0) lostAnswers++;
      else differences.push(`${charge.request_id}: ${charge.milliseconds} ms charged to nobody's request`);
      nameless.splice(fitting, fitting >= 0 ? 1 : 0);
    }
    differences.push(...(await compareTotals(queries)));
    const chargedMs = entries.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    return { differences, lostAnswers, chargedSeconds: chargedMs / 1000 };
  });
}

function mayBeUnanswered({ end, toldMs }: Outcome): boolean {
  return toldMs === undefined && (end === 'broken' || end === 'left');
}

/** Events that ended with an error: what was sent before it is charged. */
function mayBeInPart({ kind, end, toldMs }: Outcome): boolean {
  return kind === 'streamed' && end === 'retryable' && toldMs === undefined;
}

function differenceOf(outcome: Outcome, charge: LedgerEntryRow | undefined): string | undefined {
  const chargedMs = charge?.milliseconds ?? 0;
  if (mayBeUnanswered(outcome) || mayBeInPart(outcome))
    return chargedMs > outcome.audioMs + roundingMs
      ? `charged ${chargedMs} of ${outcome.audioMs} ms`
      : undefined;
  const toldMs = outcome.toldMs ?? 0;
  const allowedMs = outcome.kind === 'live' ? roundingMs : 0;
  return Math.abs(chargedMs - toldMs) > allowedMs
    ? `told ${toldMs} ms (${outcome.end} ${outcome.detail ?? ''}) and charged ${chargedMs} ms`
    : undefined;
}

function fits({ kind, keyId, audioMs }: Outcome, charge: LedgerEntryRow): boolean {
  const isWhole = charge.milliseconds === audioMs;
  const isPart = ['live', 'cancelled', 'streamed'].includes(kind) && charge.milliseconds <= audioMs;
  return keyId === charge.key_id && (isWhole || isPart);
}
