/** How many bytes of files and streams are kept, so that they can be decoded anew when a decoder process dies. */
export type ReplayMemory = {
  /** Returns false when that would be too many bytes. */
  hold(bytes: number): boolean;
  release(bytes: number): void;
  heldBytes(): number;
};

export function createReplayMemory(maxBytes: number): ReplayMemory {
  let held = 0;
  return {
    hold(bytes) {
      if (held + bytes > maxBytes) return false;
      held += bytes;
      return true;
    },
    release(bytes) {
      held -= bytes;
    },
    heldBytes: () => held,
  };
}
