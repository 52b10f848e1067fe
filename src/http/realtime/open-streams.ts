import { ServiceError } from '../../errors/service-error.ts';
import type { Conversation } from './conversation.ts';

/** All open streams of the process. It limits their number, and ends them when the service stops. */
export type OpenStreams = {
  readonly count: number;
  /** Throws overloaded. */
  checkCapacity(): void;
  /** Returns a function that removes it again. */
  add(conversation: Pick<Conversation, 'end'>): () => void;
  /** Every client gets the finals of what it has sent, and then the end. */
  drain(): void;
};

/** A guess at when another stream can be opened: streams last for minutes. */
const retryAfterSeconds = 10;

export function createOpenStreams({ maxStreams }: { maxStreams: number }): OpenStreams {
  const open = new Set<Pick<Conversation, 'end'>>();
  let isDraining = false;
  return {
    get count() {
      return open.size;
    },
    checkCapacity() {
      if (open.size >= maxStreams) throw new ServiceError('overloaded', { retryAfterSeconds });
    },
    add(conversation) {
      open.add(conversation);
      if (isDraining) conversation.end('draining');
      return () => void open.delete(conversation);
    },
    drain() {
      isDraining = true;
      for (const conversation of open) conversation.end('draining');
    },
  };
}
