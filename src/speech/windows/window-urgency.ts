import type { Priority } from '../../pool/dispatcher.ts';

/**
 * What a window is for, the least urgent first: a part of a file; a whole file, which somebody waits for; words that are being
 * spoken; words that were spoken. Inside an inference process the more urgent window goes first.
 */
export const urgencies = ['file', 'interactive', 'partial', 'final'] as const;
export type Urgency = (typeof urgencies)[number];

/** The queue in which a window waits for a process: partials and finals share one, so that a stream's windows keep their order. */
export const priorityOf: Readonly<Record<Urgency, Priority>> = {
  file: 'file',
  interactive: 'interactive',
  partial: 'realtime',
  final: 'realtime',
};

export function isMoreUrgent(one: Urgency, other: Urgency): boolean {
  return urgencies.indexOf(one) > urgencies.indexOf(other);
}

/** The most urgent of several; `file` where there are none. */
export function mostUrgent(of: readonly Urgency[]): Urgency {
  return of.reduce((most, urgency) => (isMoreUrgent(urgency, most) ? urgency : most), 'file' as Urgency);
}
