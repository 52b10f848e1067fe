import type { SpokenStretch } from '../windows/speech-window.ts';

/** Long enough to know a voice by, short enough for a turn. */
const printSeconds = 1.5;
const hopSeconds = 0.5;
/** A shorter stretch is heard with what lies around it. */
const leastSeconds = 0.6;

/** Where prints are taken: overlapping places that cover each stretch to its very ends and do not leave it. */
export function printStretches(speech: readonly SpokenStretch[], totalSeconds: number): SpokenStretch[] {
  return speech.flatMap(({ startSeconds, endSeconds }) => {
    const room = endSeconds - startSeconds - printSeconds;
    if (room <= 0) return [widened(startSeconds, endSeconds, totalSeconds)];
    const hops = Math.ceil(room / hopSeconds);
    return Array.from({ length: hops + 1 }, (_, index) => {
      const start = startSeconds + (room * index) / hops;
      return { startSeconds: start, endSeconds: start + printSeconds };
    });
  });
}

function widened(startSeconds: number, endSeconds: number, totalSeconds: number): SpokenStretch {
  const missing = Math.max(0, leastSeconds - (endSeconds - startSeconds)) / 2;
  return {
    startSeconds: Math.max(0, startSeconds - missing),
    endSeconds: Math.min(totalSeconds, endSeconds + missing),
  };
}
