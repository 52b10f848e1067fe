import type { StreamOptions } from '../../../wire/option-types.ts';
import type { EndReason, SessionEvent } from '../../../wire/stream-events.ts';
import type { ServiceError } from '../../errors/service-error.ts';
import type { Session } from '../../sessions/session.ts';
import type { SessionClose } from '../../sessions/session-close.ts';

/** One client's side of a stream: its messages in, what it shall read out, in whatever dialect it speaks. */
export type Conversation = {
  /** Neither ever throws: what cannot be understood ends the conversation. */
  receiveText(text: string): void;
  receiveBytes(bytes: Uint8Array): void;
  /** What the client reads, in order. Pulling it is the back-pressure. */
  messages(): AsyncIterable<string>;
  readonly bufferedSeconds: number;
  end(reason: EndReason, error?: ServiceError): void;
  readonly closed: Promise<SessionClose>;
};

export type OpenSession = (config: StreamOptions) => Session;

/** Called once the client is connected; whatever it asked for in vain has been answered before. */
export type BeginConversation = (
  open: OpenSession,
  sessionId: string,
  /** What was noted with the token that was used. */
  tokenNote: string | undefined,
) => Conversation;

export type SessionConversation = {
  session: Session;
  /** False for what it does not understand. */
  receiveText(message: { type?: unknown }): boolean;
  receiveBytes?(bytes: Uint8Array): void;
  /** The messages that an event comes to; none is fine. */
  write(event: SessionEvent): object[];
};

/** A conversation about one session that is open from its first moment to its last. */
export function sessionConversation(options: SessionConversation): Conversation {
  const { session, write } = options;
  return {
    receiveText(text) {
      const message = parseMessage(text);
      if (message === undefined || !options.receiveText(message)) session.end('bad_message');
    },
    receiveBytes: options.receiveBytes ?? ((bytes) => session.receiveAudio(bytes)),
    async *messages() {
      for await (const event of session.events()) {
        for (const message of write(event)) yield JSON.stringify(message);
      }
    },
    get bufferedSeconds() {
      return session.bufferedSeconds;
    },
    end: (reason, error) => session.end(reason, error),
    closed: session.closed,
  };
}

/** Undefined for what is no JSON object. */
export function parseMessage(text: string): { type?: unknown } | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}
