/**
 * Works on up to `limit` items at a time and yields the results in the items' order. When the consumer stops or an item
 * fails, the work on all others is aborted.
 */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item>,
  limit: number,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Result> {
  const stop = new AbortController();
  const underWay: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const result = work(item, stop.signal);
      result.catch(() => undefined); // a later failure is thrown when its turn comes
      underWay.push(result);
      if (underWay.length >= limit) yield await underWay.shift()!;
    }
    while (underWay.length > 0) yield await underWay.shift()!;
  } finally {
    stop.abort(new Error('The transcription has stopped.'));
  }
}
