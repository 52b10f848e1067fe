import { createReadStream } from 'node:fs';
import { decodeAudio } from '../../src/audio/decode-audio.ts';
import { type Pcm, pcmSampleRate } from '../../src/audio/pcm.ts';
import { atLeast, type Explain, type Figure } from '../figures/figure.ts';
import type { Conversation } from './conversations.ts';
import type { LabelledStretch } from './diarization-error.ts';
import { findTurns, type SpeakerParts } from './found-turns.ts';
import { countSpeakers } from './turns-check.ts';

/** Each speaker of the simulated conversations alone, in recordings of these lengths. */
const lengths = [5, 20, 60, Number.POSITIVE_INFINITY];
const silence = new Float32Array(pcmSampleRate / 2);

export async function measureOneSpeaker(
  conversations: readonly Conversation[],
  parts: SpeakerParts,
  explain: Explain,
): Promise<Figure[]> {
  let right = 0;
  let total = 0;
  for (const { name, file, reference, kind } of conversations) {
    if (kind !== 'simulated') continue;
    const audio = await decodeWhole(file);
    for (const speaker of new Set(reference.map((stretch) => stretch.speaker))) {
      const own = reference.filter((stretch) => stretch.speaker === speaker && isAlone(stretch, reference));
      const alone = cutTogether(audio, own);
      for (const seconds of lengths.filter(
        (each) => each === Number.POSITIVE_INFINITY || each * pcmSampleRate < alone.length,
      )) {
        const found = countSpeakers(await findTurns(inPieces(alone, seconds * pcmSampleRate), parts));
        total++;
        if (found === 1) right++;
        else explain(`${name}: ${speaker} alone, ${seconds} s: ${found} speakers`);
      }
    }
  }
  const what = 'recordings of one speaker in which one speaker is found';
  return [{ id: 'one', what, ...atLeast(total, right), note: `of ${total}`, part: 'selection' }];
}

function isAlone(stretch: LabelledStretch, reference: readonly LabelledStretch[]): boolean {
  return reference.every(
    (other) =>
      other === stretch ||
      other.endSeconds <= stretch.startSeconds ||
      other.startSeconds >= stretch.endSeconds,
  );
}

function cutTogether(audio: Pcm, stretches: readonly LabelledStretch[]): Pcm {
  const pieces = stretches.flatMap(({ startSeconds, endSeconds }) => [
    audio.subarray(Math.round(startSeconds * pcmSampleRate), Math.round(endSeconds * pcmSampleRate)),
    silence,
  ]);
  return joined(pieces);
}

async function decodeWhole(file: string): Promise<Pcm> {
  const chunks: Pcm[] = [];
  for await (const chunk of decodeAudio(createReadStream(file))) chunks.push(chunk.slice());
  return joined(chunks);
}

function joined(pieces: readonly Pcm[]): Pcm {
  const whole = new Float32Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}

async function* inPieces(audio: Pcm, samples: number): AsyncGenerator<Pcm> {
  for (let start = 0; start < Math.min(samples, audio.length); start += pcmSampleRate) {
    yield audio.subarray(start, Math.min(start + pcmSampleRate, samples));
  }
}
