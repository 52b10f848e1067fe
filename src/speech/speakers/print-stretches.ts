import type { SpokenStretch } from '../windows/speech-window.ts';

/** Long enough to know a voice, and shorter than most turns. */
const printSeconds = 1.5;
const hopSeconds = 0.5;
/** A shorter stretch of speech is widened by what lies around it. */
const leastSeconds = 0.6;

/** The stretches of which prints are taken. They overlap, and together cover each stretch of speech from its first to its last sample. */
export function printStretches(speech: readonly SpokenStretch[], totalSeconds: number): SpokenStretch[] {
  return speech.flatMap(({ startSeconds, endSeconds }) => {
    const rest = endSeconds - startSeconds - printSeconds;
    if (rest <= 0) return [widened(startSeconds, endSeconds, totalSeconds)];
    const hops = Math.ceil(rest / hopSeconds);
    return Array.from({ length: hops + 1 }, (_, index) => {
      const start = startSeconds + (rest * index) / hops;
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
