import assert from 'node:assert';
import type { Priority } from '../dispatcher.ts';

export type SlotShares = {
  /** Jobs that one process holds at once. */
  slots: number;
  /** How many of the slots are kept free for interactive and realtime jobs, and how many for realtime jobs alone. */
  interactiveSlots?: number;
  realtimeSlots?: number;
};

/** For each priority, how many jobs of it and of lower ones a process takes at once. */
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
