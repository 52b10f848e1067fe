import assert from 'node:assert';
import type { Priority } from '../dispatcher.ts';

export type SlotShares = {
  /** Jobs that one process holds at once. */
  slots: number;
  /** Of these, how many are kept free for interactive jobs and those above, and how many for realtime ones alone. */
  interactiveSlots?: number;
  realtimeSlots?: number;
};

/** How many jobs of a priority and below it one process takes at once. */
export function slotsByPriority({
  slots,
  interactiveSlots = 0,
  realtimeSlots = 0,
}: SlotShares): Record<Priority, number> {
  assert(slots >= 1, 'A process needs at least one slot.');
  assert(
    interactiveSlots + realtimeSlots < slots,
    'File jobs need at least one slot that is not kept for others.',
  );
  return {
    realtime: slots,
    interactive: slots - realtimeSlots,
    file: slots - realtimeSlots - interactiveSlots,
  };
}
