/** One listener a signal, however many jobs share it: Node warns of a leak at the eleventh and never forgets them. */
export type AbortWatch = {
  /** Gives the function that stops watching. */
  watch(signal: AbortSignal, onAbort: () => void): () => void;
};

export function createAbortWatch(): AbortWatch {
  const watched = new WeakMap<AbortSignal, { callbacks: Set<() => void>; listener: () => void }>();

  return {
    watch(signal, onAbort) {
      let entry = watched.get(signal);
      if (!entry) {
        const callbacks = new Set<() => void>();
        const listener = () => {
          watched.delete(signal);
          for (const callback of callbacks) callback();
        };
        entry = { callbacks, listener };
        watched.set(signal, entry);
        signal.addEventListener('abort', listener, { once: true });
      }
      const { callbacks, listener } = entry;
      callbacks.add(onAbort);
      return () => {
        callbacks.delete(onAbort);
        if (callbacks.size > 0) return;
        signal.removeEventListener('abort', listener);
        if (watched.get(signal)?.listener === listener) watched.delete(signal);
      };
    },
  };
}
