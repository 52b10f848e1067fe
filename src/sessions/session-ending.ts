import type { EndReason } from '../../wire/stream-events.ts';
import { endings } from '../errors/endings.ts';
import type { ServiceError } from '../errors/service-error.ts';

/**
 * `open` until there is a reason to end. Then either `finishing`, in which what has come is still made final, or `stopped`,
 * in which nothing more is done but to settle. A stream that is finishing is stopped at its end, or by a reason that leaves
 * no time for finals.
 */
export type Phase = 'open' | 'finishing' | 'stopped';

export type SessionEnding = {
  readonly phase: Phase;
  /** From outside. The first reason counts, with one exception: a finishing stream is stopped by a reason that is not graceful. */
  request(reason: EndReason, error?: ServiceError): void;
  /** From inside. A fault replaces the reason of a stream that is finishing. */
  fault(reason: EndReason, error?: ServiceError): void;
  /** All work is over. */
  stop(): void;
  /** What was used could not be charged: whatever the reason was, the end is our fault. */
  fail(): void;
  /** Why it ends; a stream that ended without any reason was our fault. */
  readonly why: { reason: EndReason; error: ServiceError | undefined };
};

type Options = {
  /** A reason to end has come. The phase is not `open` any more, and is never `open` again. */
  onEnding(reason: EndReason): void;
};

const ourFault: SessionEnding['why'] = { reason: 'internal_error', error: undefined };

export function createSessionEnding({ onEnding }: Options): SessionEnding {
  let phase: Phase = 'open';
  let why = ourFault;

  const begin = (reason: EndReason, error: ServiceError | undefined) => {
    phase = endings[reason].graceful ? 'finishing' : 'stopped';
    why = { reason, error };
    onEnding(reason);
  };

  return {
    get phase() {
      return phase;
    },
    request(reason, error) {
      const tooLate = phase === 'stopped' || (phase === 'finishing' && endings[reason].graceful);
      if (!tooLate) begin(reason, error);
    },
    fault(reason, error) {
      if (phase !== 'stopped') begin(reason, error);
    },
    stop() {
      phase = 'stopped';
    },
    fail() {
      why = ourFault;
    },
    get why() {
      return why;
    },
  };
}
