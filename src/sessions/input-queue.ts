/** From callbacks to one loop that takes its time. */
export type InputQueue<Item> = {
  push(item: Item): void;
  /** What has come is still given out; nothing more is taken in. */
  end(): void;
  items(): AsyncGenerator<Item>;
};

export function createInputQueue<Item>(): InputQueue<Item> {
  const waiting: Item[] = [];
  let ended = false;
  let wake: (() => void) | undefined;
  return {
    push(item) {
      if (ended) return;
      waiting.push(item);
      wake?.();
    },
    end() {
      ended = true;
      wake?.();
    },
    async *items() {
      for (;;) {
        while (waiting.length > 0) yield waiting.shift()!;
        if (ended) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
