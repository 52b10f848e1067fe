import type { Priority } from '../dispatcher.ts';

type Queued = { requestId: string; priority: Priority };

/** Inside a priority, requests are served round robin, one job at a time. Jobs put back after a death are kept apart. */
export type FairQueue<Item extends Queued> = {
  size(): number;
  push(item: Item): void;
  putBack(item: Item): void;
  takeNext(priority: Priority): Item | undefined;
  takeReturned(priority: Priority): Item | undefined;
  remove(item: Item): boolean;
  removeAll(): Item[];
};

/** `requests` is in the order in which they are served: a Map iterates as inserted, and a request that was served moves to its end. */
type Waiting<Item> = { returned: Set<Item>; requests: Map<string, Set<Item>> };

export function createFairQueue<Item extends Queued>(): FairQueue<Item> {
  const waiting: Record<Priority, Waiting<Item>> = {
    realtime: nothingWaiting(),
    interactive: nothingWaiting(),
    file: nothingWaiting(),
  };
  let size = 0;

  return {
    size: () => size,

    push(item) {
      const { requests } = waiting[item.priority];
      const items = requests.get(item.requestId);
      if (items) items.add(item);
      else requests.set(item.requestId, new Set([item]));
      size++;
    },

    putBack(item) {
      waiting[item.priority].returned.add(item);
      size++;
    },

    takeNext(priority) {
      const item = takeRoundRobin(waiting[priority].requests);
      if (item) size--;
      return item;
    },

    takeReturned(priority) {
      const item = takeFirst(waiting[priority].returned);
      if (item) size--;
      return item;
    },

    remove(item) {
      const { returned, requests } = waiting[item.priority];
      const items = requests.get(item.requestId);
      const found = returned.delete(item) || items?.delete(item) === true;
      if (items?.size === 0) requests.delete(item.requestId);
      if (found) size--;
      return found;
    },

    removeAll() {
      const removed: Item[] = [];
      for (const { returned, requests } of Object.values(waiting)) {
        removed.push(...returned, ...[...requests.values()].flatMap((items) => [...items]));
        returned.clear();
        requests.clear();
      }
      size = 0;
      return removed;
    },
  };
}

function nothingWaiting<Item>(): Waiting<Item> {
  return { returned: new Set(), requests: new Map() };
}

function takeRoundRobin<Item>(requests: Map<string, Set<Item>>): Item | undefined {
  for (const [requestId, items] of requests) {
    const item = takeFirst(items);
    requests.delete(requestId);
    if (items.size > 0) requests.set(requestId, items);
    return item;
  }
  return undefined;
}

function takeFirst<Item>(items: Set<Item>): Item | undefined {
  for (const item of items) {
    items.delete(item);
    return item;
  }
  return undefined;
}
