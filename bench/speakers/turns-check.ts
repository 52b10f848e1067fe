import { createReadStream } from 'node:fs';
import { decodeAudio } from '../../src/audio/decode-audio.ts';
import { atLeast, atMost, type Explain, type Figure, percentOf } from '../figures/figure.ts';
import type { Conversation } from './conversations.ts';
import { type DiarizationError, diarizationError, errorRate } from './diarization-error.ts';
import { findTurns, type SpeakerParts } from './found-turns.ts';

/** In per cent. */
const bars = { simulated: 12, meeting: 35, broadcast: undefined } as const;
const titles = {
  simulated: 'simulated conversations',
  meeting: 'clips of AMI meetings',
  broadcast: 'broadcast',
} as const;

/** The diarization error rate, and whether the speakers were counted rightly. */
export async function measureTurns(
  conversations: readonly Conversation[],
  parts: SpeakerParts,
  explain: Explain,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const kind of ['simulated', 'meeting', 'broadcast'] as const) {
    const errors: DiarizationError[] = [];
    let counted = 0;
    const own = conversations.filter((conversation) => conversation.kind === kind);
    for (const { name, file, reference } of own) {
      const turns = await findTurns(decodeAudio(createReadStream(file)), parts);
      const error = diarizationError(reference, turns);
      errors.push(error);
      const [found, there] = [countSpeakers(turns), countSpeakers(reference)];
      if (found === there) counted++;
      explain(
        `${name.padEnd(20)} ${percent(errorRate([error]))} = ${split([error])}; ${found} of ${there} speakers`,
      );
    }
    if (errors.length === 0) continue;
    const rate = errorRate(errors);
    const bar = bars[kind];
    figures.push({
      id: `turns/${kind}`,
      what: `diarization error rate: ${own.length} ${titles[kind]}`,
      ...(bar === undefined ? { value: percentOf(rate) } : atMost(bar, rate * 100, 1)),
      unit: '%',
      note: split(errors),
      // The thresholds in who-spoke.ts were chosen on these conversations too (decision 018).
      ...(kind === 'simulated' && { part: 'selection' }),
    });
    if (kind !== 'simulated') continue;
    figures.push({
      id: 'turns/counted',
      what: 'conversations in which the number of speakers is right',
      ...atLeast(own.length - 1, counted),
      note: `of ${own.length}`,
      part: 'selection',
    });
  }
  return figures;
}

export function countSpeakers(stretches: readonly { speaker: string | number }[]): number {
  return new Set(stretches.map(({ speaker }) => speaker)).size;
}

function split(errors: readonly DiarizationError[]): string {
  const total = errors.reduce((sum, each) => sum + each.referenceSeconds, 0);
  const share = (seconds: (error: DiarizationError) => number) =>
    percent(errors.reduce((sum, each) => sum + seconds(each), 0) / total);
  const missed = share((each) => each.missedSeconds);
  const falsely = share((each) => each.falseAlarmSeconds);
  return `missed ${missed}, false alarm ${falsely}, confusion ${share((each) => each.confusedSeconds)}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
