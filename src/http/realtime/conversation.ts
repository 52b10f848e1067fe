import type { StreamOptions } from '../../../wire/option-types.ts';
import type { EndReason, SessionEvent } from '../../../wire/stream-events.ts';
import type { ServiceError } from '../../errors/service-error.ts';
import type { Session } from '../../sessions/session.ts';
import type { SessionClose } from '../../sessions/session-close.ts';

/** What one client sends and receives over its connection, in its dialect. */
export type Conversation = {
  /** These two do not throw for bad messages. A message that cannot be understood ends the conversation. */
  receiveText(text: string): void;
  receiveBytes(bytes: Uint8Array): void;
  /** The messages for the client, in order. Pulling them is the back-pressure. */
  messages(): AsyncIterable<string>;
  readonly bufferedSeconds: number;
  /** How much waits in both directions: messages that are not worked on yet, and messages that the client has not read. */
  readonly waiting: number;
  end(reason: EndReason, error?: ServiceError): void;
  readonly closed: Promise<SessionClose>;
};

export type OpenSession = (config: StreamOptions) => Session;

/** Begins a conversation when the client is connected. Bad requests were answered before. */
export type BeginConversation = (
  open: OpenSession,
  sessionId: string,
  /** The note that was stored with the client's token. */
  tokenNote: string | undefined,
) => Conversation;

/** Where a client's audio goes: a session, or a decoder in front of one. An empty message closes it. */
export type AudioInput = Pick<Session, 'receiveAudio' | 'close' | 'bufferedSeconds' | 'waiting'>;

type SessionConversation = {
  session: Session;
  /** By default, this is the session. */
  audio?: AudioInput;
  /** Returns false for a message that it does not understand. */
  receiveText(message: { type?: unknown }): boolean;
  /** The messages that tell the client about an event. There may be none. */
  write(event: SessionEvent): object[];
};

/** A conversation whose session is open from its beginning to its end. */
export function sessionConversation(options: SessionConversation): Conversation {
  const { session, audio = session, write } = options;
  return {
    receiveText(text) {
      const message = parseControl(text);
      if (message === undefined || !options.receiveText(message)) session.end('bad_message');
    },
    receiveBytes: (bytes) => audio.receiveAudio(bytes),
    async *messages() {
      for await (const event of session.events()) {
        for (const message of write(event)) yield JSON.stringify(message);
      }
    },
    get bufferedSeconds() {
      return audio.bufferedSeconds;
    },
    get waiting() {
      return audio.waiting;
    },
    end: (reason, error) => session.end(reason, error),
    closed: session.closed,
  };
}

/** Messages that steer a session are a few words. Longer ones are not even parsed. */
const maxControlLength = 4096;

/** Undefined for a text that is not a JSON object, or that is too long for a message without audio. */
export function parseControl(text: string): { type?: unknown } | undefined {
  return text.length <= maxControlLength ? parseMessage(text) : undefined;
}

/** Undefined for a text that is not a JSON object. */
export function parseMessage(text: string): { type?: unknown } | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}
