/** One listener for each signal, however many jobs share it: Node warns of a leak at the eleventh listener and keeps them all. */
export type AbortSubscriptions = {
  /** Returns the function that ends the subscription. */
  subscribe(signal: AbortSignal, onAbort: () => void): () => void;
};

export function createAbortSubscriptions(): AbortSubscriptions {
  const subscribed = new WeakMap<AbortSignal, { callbacks: Set<() => void>; listener: () => void }>();

  return {
    subscribe(signal, onAbort) {
      let entry = subscribed.get(signal);
      if (!entry) {
        const callbacks = new Set<() => void>();
        const listener = () => {
          subscribed.delete(signal);
          for (const callback of callbacks) callback();
        };
        entry = { callbacks, listener };
        subscribed.set(signal, entry);
        signal.addEventListener('abort', listener, { once: true });
      }
      const { callbacks, listener } = entry;
      callbacks.add(onAbort);
      return () => {
        callbacks.delete(onAbort);
        if (callbacks.size > 0) return;
        signal.removeEventListener('abort', listener);
        if (subscribed.get(signal)?.listener === listener) subscribed.delete(signal);
      };
    },
  };
}
