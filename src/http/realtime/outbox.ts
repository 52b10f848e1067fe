import type { SessionEvent } from '../../../wire/stream-events.ts';
import { createAsyncQueue } from '../../async/async-queue.ts';
import type { Session } from '../../sessions/session.ts';

/** Joins the messages for a client from two sources: the events of the session, and messages that the dialect adds. */
type Outbox = {
  send(message: object): void;
  /** Sends the session's events, no faster than the client reads them. The outbox ends when they end. */
  forward(session: Session, write: (event: SessionEvent) => object[]): void;
  end(): void;
  /** Messages that the client has not read yet. */
  readonly size: number;
  /** For one reader. */
  messages(): AsyncGenerator<string>;
};

/** With this many unread messages, the session waits, and drops partials that newer ones replace. */
const maxUnread = 16;

export function createOutbox(): Outbox {
  const unread = createAsyncQueue<string>({ capacity: maxUnread });
  const send = (message: object) => unread.push(JSON.stringify(message));

  async function pull(session: Session, write: (event: SessionEvent) => object[]): Promise<void> {
    for await (const event of session.events()) {
      for (const message of write(event)) send(message);
      await unread.space();
    }
  }

  return {
    send,
    end: unread.end,
    get size() {
      return unread.size;
    },
    forward(session, write) {
      pull(session, write).then(unread.end, unread.fail);
    },
    messages: unread.items,
  };
}
