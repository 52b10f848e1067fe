/**
 * Works on up to `limit` items at a time and yields the results in the order of the items, each as soon as it and all before it are
 * there. When the consumer stops or an item fails, the work on all others is aborted.
 */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item>,
  limit: number | (() => number),
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Result> {
  const most = typeof limit === 'number' ? () => limit : limit;
  const stop = new AbortController();
  const source = items[Symbol.asyncIterator]();
  const underWay: Promise<Result>[] = [];
  let next: Promise<IteratorResult<Item>> | undefined;
  let ended = false;
  try {
    while (!ended || underWay.length > 0) {
      if (!ended && underWay.length < most()) next ??= guarded(source.next());
      const first = underWay[0];
      const event = await Promise.race([
        ...(next ? [next.then((item) => ({ item }))] : []),
        ...(first ? [first.then((result) => ({ result }))] : []),
      ]);
      if ('result' in event) {
        underWay.shift();
        yield event.result;
        continue;
      }
      next = undefined;
      if (event.item.done) ended = true;
      else underWay.push(guarded(work(event.item.value, stop.signal)));
    }
  } finally {
    stop.abort(new Error('The transcription has stopped.'));
    // A source that waits for bytes can only stop when they come, and nobody should have to wait for that.
    const stopped = ended ? undefined : guarded(Promise.resolve(source.return?.()));
    if (!next) await stopped;
  }
}

/** A failure is thrown when its result is due. Before that nothing awaits the promise, which Node would take for an unhandled rejection. */
function guarded<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
