import type { Random } from '../../../evaluation/random.ts';

/** What goes over the wire, and as much about it as is needed to judge the answer. */
export type MutatedRequest = {
  /** What was done to it, for whoever reads a failure. */
  name: string;
  method: string;
  path: string;
  bytes: Uint8Array;
  /** Close our side when all is sent, as a client does that has gone; otherwise it is left open. */
  ends: boolean;
  /** Write in pieces of this size, one for each turn of the event loop. */
  pieceBytes?: number;
};

export type RequestContext = { random: Random; key: string; otherKey: string };
