import type { SessionEvent } from '../../../wire/stream-events.ts';
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

/** With more than this unread, the session waits, and drops the partials that were overtaken. */
const maxUnread = 16;

export function createOutbox(): Outbox {
  const unread: string[] = [];
  let ended = false;
  let failure: unknown;
  let onChange: (() => void)[] = [];
  const changed = () => {
    for (const wake of onChange.splice(0)) wake();
  };
  const change = () =>
    new Promise<void>((resolve) => {
      onChange = [...onChange, resolve];
    });
  const end = () => {
    ended = true;
    changed();
  };
  const say = (message: object) => {
    unread.push(JSON.stringify(message));
    changed();
  };

  async function pull(session: Session, write: (event: SessionEvent) => object[]): Promise<void> {
    for await (const event of session.events()) {
      for (const message of write(event)) say(message);
      while (unread.length > maxUnread) await change();
    }
  }

  return {
    say,
    end,
    follow(session, write) {
      pull(session, write)
        .catch((error) => {
          failure = error;
        })
        .finally(end);
    },
    async *messages() {
      for (;;) {
        const message = unread.shift();
        if (message !== undefined) {
          changed();
          yield message;
        } else if (ended) {
          if (failure) throw failure;
          return;
        } else await change();
      }
    },
  };
}
