import { showProgress } from '../../evaluation/progress.ts';
import type { Recogniser } from '../../src/speech/recogniser.ts';
import { atMost, type Explain, type Figure } from '../figures/figure.ts';
import { joinSentences } from '../long-recording.ts';
import { median } from '../median.ts';
import { sampleTreeMemory } from '../process-memory.ts';
import type { SpeechSet } from '../speech-sets.ts';
import { encodeMp3, repeatMp3 } from './repeated-mp3.ts';

const pieceSeconds = 240;
const barMegabytes = 1500;
const barGrowth = 1.1;
const sampleMilliseconds = 1000;

type MemoryOptions = {
  open: () => Promise<Recogniser>;
  sets: SpeechSet[];
  hours: number;
  explain: Explain;
};

/** The memory of all processes, from the start to the end of one long mp3 file. */
export async function measureMemory({ open, sets, hours, explain }: MemoryOptions): Promise<Figure[]> {
  const { samples } = await joinSentences(sets, pieceSeconds);
  const mp3 = await encodeMp3(samples);
  const seconds = hours * 3600;
  const memory = sampleTreeMemory(sampleMilliseconds);
  await using recogniser = await open();
  await listen(recogniser, repeatMp3(mp3, seconds), seconds);
  const { samplesBytes } = memory.stop();

  const megabytes = samplesBytes.map((bytes) => bytes / 2 ** 20);
  const peak = Math.max(...megabytes);
  const growth = quarterMedian(megabytes, 3) / quarterMedian(megabytes, 1);
  explain(`quarters, MB: ${[0, 1, 2, 3].map((quarter) => quarterMedian(megabytes, quarter).toFixed(0))}`);
  return [
    {
      id: 'memory/peak',
      what: `memory of all processes over ${hours} h of mp3: peak`,
      ...atMost(barMegabytes, peak),
      unit: 'MB',
    },
    {
      id: 'memory/growth',
      what: `memory of all processes over ${hours} h of mp3: last quarter / second quarter`,
      ...atMost(barGrowth, growth, 2),
    },
  ];
}

async function listen(
  recogniser: Recogniser,
  bytes: AsyncIterable<Uint8Array>,
  seconds: number,
): Promise<void> {
  const segments = recogniser.transcribe(bytes, {
    language: 'mixed',
    onProgress: ({ doneSeconds }) =>
      showProgress(`transcribed ${((100 * doneSeconds) / seconds).toFixed(1)} %`),
  });
  for (;;) {
    const { done, value } = await segments.next();
    if (!done) continue;
    if (Math.abs(value.durationSeconds / seconds - 1) > 0.01)
      throw new Error(`The mp3 should last ${seconds} s but was read as ${value.durationSeconds} s`);
    return;
  }
}

function quarterMedian(samples: number[], quarter: number): number {
  const length = samples.length / 4;
  return (
    median(samples.slice(Math.floor(quarter * length), Math.floor((quarter + 1) * length))) ?? Number.NaN
  );
}
