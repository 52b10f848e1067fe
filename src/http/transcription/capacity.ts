import { ServiceError } from '../../errors/service-error.ts';

/** The limits for all transcriptions of the process: how many there may be, and how many bytes they may hold together. */
export type TranscriptionCapacity = {
  inFlight(): number;
  heldBytes(): number;
  /** Throws overloaded. Disposing of the permit gives it back. */
  takePermit(projectId: string): TranscriptionPermit;
  /** Returns false when that would be too many bytes. */
  hold(bytes: number): boolean;
  release(bytes: number): void;
};

export type TranscriptionPermit = Disposable & {
  /** The project had no other transcription under way, so somebody waits for this one. Many at once are work for later. */
  readonly isOnlyOne: boolean;
};

type CapacityOptions = { maxTranscriptions: number; maxHeldBytes?: number };

const defaultMaxHeldBytes = 256 * 1024 * 1024;

/** An estimate of when a permit is free again. Most recordings are short. */
const retryAfterSeconds = 2;

export function createTranscriptionCapacity({
  maxTranscriptions,
  maxHeldBytes = defaultMaxHeldBytes,
}: CapacityOptions): TranscriptionCapacity {
  let inFlight = 0;
  let held = 0;
  const underWay = new Map<string, number>();
  const count = (projectId: string, change: 1 | -1) => {
    const transcriptions = (underWay.get(projectId) ?? 0) + change;
    if (transcriptions > 0) underWay.set(projectId, transcriptions);
    else underWay.delete(projectId);
  };
  return {
    inFlight: () => inFlight,
    heldBytes: () => held,

    takePermit(projectId) {
      if (inFlight >= maxTranscriptions) throw new ServiceError('overloaded', { retryAfterSeconds });
      const isOnlyOne = !underWay.has(projectId);
      inFlight++;
      count(projectId, 1);
      let isTaken = true;
      return {
        isOnlyOne,
        [Symbol.dispose]() {
          if (!isTaken) return;
          isTaken = false;
          inFlight--;
          count(projectId, -1);
        },
      };
    },

    hold(bytes) {
      if (held + bytes > maxHeldBytes) return false;
      held += bytes;
      return true;
    },

    release(bytes) {
      held -= bytes;
    },
  };
}
