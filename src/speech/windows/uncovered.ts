import type { SpokenStretch } from './speech-window.ts';

/** Silences inside a window are at most a second long, so a longer stretch without text holds speech that was left out. */
export const longestTail = 1.6;
const longestHole = 3;

/** Where a window's text leaves speech out: Whisper at times stops early or jumps ahead. */
export function uncoveredStretches(
  { segments }: { segments: readonly SpokenStretch[] },
  audioSeconds: number,
): SpokenStretch[] {
  const stretches: SpokenStretch[] = [];
  let covered = 0;
  for (const { startSeconds, endSeconds } of segments) {
    if (startSeconds - covered > longestHole)
      stretches.push({ startSeconds: covered, endSeconds: startSeconds });
    covered = Math.max(covered, endSeconds);
  }
  if (segments.length > 0 && audioSeconds - covered > longestTail)
    stretches.push({ startSeconds: covered, endSeconds: audioSeconds });
  return stretches;
}
