import type { Priority } from '../dispatcher.ts';

type Queued = { requestId: string; priority: Priority };

/** Requests take turns inside a priority, one job a turn. Jobs put back after a death are kept apart. */
export type FairQueue<Item extends Queued> = {
  size(): number;
  push(item: Item): void;
  putBack(item: Item): void;
  takeTurn(priority: Priority): Item | undefined;
  takeReturned(priority: Priority): Item | undefined;
  remove(item: Item): boolean;
  removeAll(): Item[];
};

/** `turns` is in the order of the coming turns: a Map iterates as inserted, and a request served moves to its end. */
type Lane<Item> = { returned: Set<Item>; turns: Map<string, Set<Item>> };

export function createFairQueue<Item extends Queued>(): FairQueue<Item> {
  const lanes: Record<Priority, Lane<Item>> = {
    realtime: createLane(),
    interactive: createLane(),
    file: createLane(),
  };
  let size = 0;

  return {
    size: () => size,

    push(item) {
      const { turns } = lanes[item.priority];
      const own = turns.get(item.requestId);
      if (own) own.add(item);
      else turns.set(item.requestId, new Set([item]));
      size++;
    },

    putBack(item) {
      lanes[item.priority].returned.add(item);
      size++;
    },

    takeTurn(priority) {
      const item = takeTurn(lanes[priority].turns);
      if (item) size--;
      return item;
    },

    takeReturned(priority) {
      const item = takeFirst(lanes[priority].returned);
      if (item) size--;
      return item;
    },

    remove(item) {
      const { returned, turns } = lanes[item.priority];
      const own = turns.get(item.requestId);
      const found = returned.delete(item) || own?.delete(item) === true;
      if (own?.size === 0) turns.delete(item.requestId);
      if (found) size--;
      return found;
    },

    removeAll() {
      const items: Item[] = [];
      for (const lane of Object.values(lanes)) {
        items.push(...lane.returned, ...[...lane.turns.values()].flatMap((own) => [...own]));
        lane.returned.clear();
        lane.turns.clear();
      }
      size = 0;
      return items;
    },
  };
}

function createLane<Item>(): Lane<Item> {
  return { returned: new Set(), turns: new Map() };
}

function takeTurn<Item>(turns: Map<string, Set<Item>>): Item | undefined {
  for (const [requestId, own] of turns) {
    const item = takeFirst(own);
    turns.delete(requestId);
    if (own.size > 0) turns.set(requestId, own);
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
