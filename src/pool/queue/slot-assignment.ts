import { type Priority, priorities } from '../dispatcher.ts';
import type { SupervisedChild } from '../process/supervised-child.ts';
import type { FairQueue } from './fair-queue.ts';
import type { Ticket } from './ticket.ts';

type AnyTicket = Pick<Ticket<unknown, unknown>, 'requestId' | 'priority' | 'deaths'>;

type Assignment<Item extends AnyTicket> = {
  queue: FairQueue<Item>;
  children: Iterable<SupervisedChild<Item>>;
  /** How many jobs a process holds at once, and for each priority how many of it and of lower ones. */
  slots: number;
  slotsFor: Record<Priority, number>;
};

/**
 * Fills free slots from the queue, the least busy process first. Jobs whose process died come first in their priority, but no two of
 * them share a process: if one of them was the cause, the others do not die with it again.
 */
export function assignWaiting<Item extends AnyTicket>({ queue, ...slots }: Assignment<Item>): void {
  for (const priority of priorities) {
    assignEach(
      () => queue.takeReturned(priority),
      () => leastBusy(slots, priority, (held) => !held.some((ticket) => ticket.deaths > 0)),
    );
    assignEach(
      () => queue.takeNext(priority),
      () => leastBusy(slots, priority, () => true),
    );
  }
}

function assignEach<Item>(
  take: () => Item | undefined,
  findChild: () => SupervisedChild<Item> | undefined,
): void {
  for (;;) {
    const child = findChild();
    const item = child && take();
    if (!item) return;
    child.assign(item);
  }
}

function leastBusy<Item extends AnyTicket>(
  { children, slots, slotsFor }: Omit<Assignment<Item>, 'queue'>,
  priority: Priority,
  accepts: (held: Item[]) => boolean,
): SupervisedChild<Item> | undefined {
  const open = [...children].filter((child) => {
    const held = child.held();
    const notAbove = held.filter(
      (ticket) => priorities.indexOf(ticket.priority) >= priorities.indexOf(priority),
    );
    const hasFreeSlot = held.length < slots && notAbove.length < slotsFor[priority];
    return child.takesJobs() && hasFreeSlot && accepts(held);
  });
  return open.sort((a, b) => a.held().length - b.held().length)[0];
}
