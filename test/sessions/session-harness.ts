/** A session over a scripted recogniser, an account that notes what it is asked, and everything the client reads. */
import { pcmSampleRate } from '../../src/audio/pcm.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import { createSession, type Session, type SessionOptions } from '../../src/sessions/session.ts';
import type { StreamAccount } from '../../src/sessions/session-billing.ts';
import type { SessionClose } from '../../src/sessions/session-close.ts';
import { defaultSessionLimits, type SessionLimits } from '../../src/sessions/session-limits.ts';
import type { StreamOptions } from '../../wire/option-types.ts';
import type { SessionEvent, TranscriptEvent } from '../../wire/stream-events.ts';
import { scriptedStreams } from '../support/scripted-streams.ts';

export type NotingAccount = StreamAccount & { reserved: number; charged: number; charges: number[] };

export type HarnessOptions = {
  config?: Partial<StreamOptions>;
  limits?: Partial<SessionLimits>;
  quotaSeconds?: number;
  secondTakesMs?: number;
} & Partial<Pick<SessionOptions, 'recogniser' | 'account' | 'revoked' | 'speakers'>>;

export type Harness = {
  session: Session;
  account: NotingAccount;
  events: SessionEvent[];
  /** What went wrong inside, such as `speakers: message`. */
  faults: string[];
  /** Sends silence, which the scripted recogniser takes for words. */
  send(seconds: number): void;
  /** Waits for the end; everything has been read then. */
  ended(): Promise<SessionClose>;
};

export function startSession(options: HarnessOptions = {}): Harness {
  const account = notingAccount(options.quotaSeconds);
  const faults: string[] = [];
  const session = createSession({
    id: 'session-1',
    config: {
      language: 'mixed',
      encoding: 'LINEAR16',
      sampleRate: pcmSampleRate,
      interimResults: true,
      endpointingMs: 500,
      words: false,
      hotwords: [],
      speakerDiarization: false,
      ...options.config,
    },
    recogniser: options.recogniser ?? scriptedStreams({ secondTakesMs: options.secondTakesMs ?? 0 }),
    account: options.account ?? account,
    limits: { ...defaultSessionLimits, ...options.limits },
    onFault: (fault, error) => void faults.push(`${fault}: ${(error as Error).message}`),
    ...(options.revoked && { revoked: options.revoked }),
    ...(options.speakers && { speakers: options.speakers }),
  });
  const events: SessionEvent[] = [];
  const reading = (async () => {
    for await (const event of session.events()) events.push(event);
  })();
  return {
    session,
    account,
    events,
    faults,
    send: (seconds) => session.receiveAudio(new Uint8Array(2 * Math.round(seconds * pcmSampleRate))),
    async ended() {
      const close = await session.closed;
      await reading;
      return close;
    },
  };
}

export function transcripts(events: SessionEvent[]): TranscriptEvent[] {
  return events.flatMap((event) => (event.type === 'transcript' ? [event] : []));
}

export function ofType<Type extends SessionEvent['type']>(
  events: SessionEvent[],
  type: Type,
): Extract<SessionEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<SessionEvent, { type: Type }> => event.type === type);
}

function notingAccount(quotaSeconds = Number.POSITIVE_INFINITY): NotingAccount {
  const charge = async (seconds: number) => {
    if (seconds < account.charged) throw new RangeError('What has been charged is not taken back.');
    account.charged = seconds;
    account.charges.push(seconds);
  };
  const account: NotingAccount = {
    reserved: 0,
    charged: 0,
    charges: [],
    async reserve(seconds) {
      if (seconds > quotaSeconds) throw new ServiceError('quota_exceeded');
      account.reserved = Math.max(account.reserved, seconds);
    },
    settleSoFar: charge,
    async settleUpToQuota(seconds) {
      await charge(seconds);
      return seconds;
    },
    owe: charge,
  };
  return account;
}
