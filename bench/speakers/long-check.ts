import { createReadStream } from 'node:fs';
import { decodeAudio } from '../../src/audio/decode-audio.ts';
import { type Pcm, pcmSampleRate } from '../../src/audio/pcm.ts';
import { atMost, type Explain, type Figure } from '../figures/figure.ts';
import { sampleTreeMemory } from '../process-memory.ts';
import type { Conversation } from './conversations.ts';
import { findTurns, type SpeakerParts } from './found-turns.ts';
import { countSpeakers } from './turns-check.ts';

const growthBar = 1.15;
const timeBar = 1.25;

/** One conversation over and over: neither memory nor the time for each hour may grow. */
export async function measureLong(
  conversation: Conversation,
  hours: number,
  parts: SpeakerParts,
  explain: Explain,
): Promise<Figure[]> {
  const memory = sampleTreeMemory(500);
  const heardAt: { seconds: number; milliseconds: number }[] = [];
  const startedAt = performance.now();
  const turns = await findTurns(repeated(conversation.file, hours * 3600), parts, (seconds) =>
    heardAt.push({ seconds, milliseconds: performance.now() - startedAt }),
  );
  const total = performance.now() - startedAt;
  const { samplesBytes } = memory.stop();
  const halfway = heardAt.find(({ seconds }) => seconds >= hours * 1800)!.milliseconds;
  const deciding = total - heardAt.at(-1)!.milliseconds;
  const middle = samplesBytes.slice(samplesBytes.length * 0.25, samplesBytes.length * 0.5);
  const growth = Math.max(...samplesBytes.slice(samplesBytes.length * 0.75)) / Math.max(...middle);
  const [found, there] = [countSpeakers(turns), countSpeakers(conversation.reference)];
  explain(
    `${(total / 1000).toFixed(0)} s for ${hours} h, of which ${(deciding / 1000).toFixed(1)} s at the end`,
  );
  explain(`memory at most ${(Math.max(...samplesBytes) / 2 ** 20).toFixed(0)} MB`);
  const ratio = (total - halfway) / halfway;
  return [
    {
      id: 'long/memory',
      what: `${hours} h: memory, last quarter / second quarter`,
      ...atMost(growthBar, growth, 2),
    },
    {
      id: 'long/time',
      what: `${hours} h: time, second half / first half`,
      ...atMost(timeBar, ratio, 2),
    },
    {
      id: 'long/speakers',
      what: `${hours} h: speakers found`,
      value: found,
      bar: `= ${there}`,
      met: found === there,
      minor: true,
    },
  ];
}

async function* repeated(file: string, seconds: number): AsyncGenerator<Pcm> {
  for (let samples = 0; samples < seconds * pcmSampleRate; ) {
    for await (const chunk of decodeAudio(createReadStream(file))) {
      samples += chunk.length;
      yield chunk;
    }
  }
}
