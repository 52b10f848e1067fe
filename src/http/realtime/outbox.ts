import type { SessionEvent } from '../../../wire/stream-events.ts';
import { createAsyncQueue } from '../../async/async-queue.ts';
import type { Session } from '../../sessions/session.ts';

/** Messages for the client from several sources: the session's events and what a dialect says by itself. */
export type Outbox = {
  say(message: object): void;
  /** Says what the session has to say, no quicker than it is read, and then nothing more. */
  follow(session: Session, write: (event: SessionEvent) => object[]): void;
  end(): void;
  /** For one reader. */
  messages(): AsyncGenerator<string>;
};

/** With this many unread, the session waits, and drops the partials that were overtaken. */
const maxUnread = 16;

export function createOutbox(): Outbox {
  const unread = createAsyncQueue<string>({ capacity: maxUnread });
  const say = (message: object) => unread.push(JSON.stringify(message));

  async function pull(session: Session, write: (event: SessionEvent) => object[]): Promise<void> {
    for await (const event of session.events()) {
      for (const message of write(event)) say(message);
      await unread.space();
    }
  }

  return {
    say,
    end: unread.end,
    follow(session, write) {
      pull(session, write).then(unread.end, unread.fail);
    },
    messages: unread.items,
  };
}
