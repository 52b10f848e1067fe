import { setImmediate } from 'node:timers/promises';
import type { SpokenStretch } from '../windows.ts';
import { frameSeconds, type SpeechFrame, speakersOfFrames, speechFrames } from './frame-speakers.ts';
import type { VoicePrint } from './speaker-model.ts';
import { groupVoices } from './voice-groups.ts';

/** Somebody's turn, from the first word to the last, with the short pauses in between. */
export type SpeakerTurn = { startSeconds: number; endSeconds: number; speaker: number };

export type WhoSpokeOptions = {
  sameSpeakerLikeness: number;
  /** A hint from the caller: as many as this, if there are so many voices. */
  numSpeakers?: number;
};

export const mostSpeakers = 10;
/** A print of less is too uncertain to find a speaker by; it is given to one of those found. */
const certainSeconds = 1.2;
/** Who speaks less than this altogether is taken for one of the others. */
const leastSpokenSeconds = 1.5;
const rounds = 3;

/** Who spoke when, in the order of the recording; speakers are numbered as they first appear. */
export async function whoSpoke(
  prints: readonly VoicePrint[],
  speech: readonly SpokenStretch[],
  options: WhoSpokeOptions,
): Promise<SpeakerTurn[]> {
  if (speech.length === 0 || prints.length === 0) return [];
  const frames = speechFrames(speech);
  let voices = await firstVoices(prints, options);
  let speakers = speakersOfFrames(frames, prints, voices);
  for (let round = 0; round < rounds; round++) {
    await setImmediate();
    voices = voicesHeard(prints, frames, speakers, voices.length, options);
    speakers = speakersOfFrames(frames, prints, voices);
  }
  return toTurns(frames, speakers);
}

async function firstVoices(
  prints: readonly VoicePrint[],
  { sameSpeakerLikeness, numSpeakers }: WhoSpokeOptions,
): Promise<Float32Array[]> {
  const certain = prints.filter((print) => print.endSeconds - print.startSeconds >= certainSeconds);
  const chosen = certain.length >= (numSpeakers ?? 1) ? certain : prints;
  const groups = await groupVoices(chosen, {
    sameSpeakerLikeness,
    ...(numSpeakers !== undefined && { groups: Math.min(numSpeakers, mostSpeakers) }),
  });
  groups.sort((a, b) => b.count - a.count);
  return groups.slice(0, mostSpeakers).map(({ sum }) => unit(sum));
}

/** The voices as their prints have them now, without those of whom too little is left. */
function voicesHeard(
  prints: readonly VoicePrint[],
  frames: readonly SpeechFrame[],
  speakers: Uint8Array,
  count: number,
  { numSpeakers }: WhoSpokeOptions,
): Float32Array[] {
  const sums = Array.from({ length: count }, () => new Float32Array(prints[0]!.direction.length));
  const spoken = new Float64Array(count);
  for (const speaker of speakers) spoken[speaker]! += frameSeconds;
  let first = 0;
  for (const { startSeconds, endSeconds, direction } of prints) {
    const middle = (startSeconds + endSeconds) / 2;
    while (first + 1 < frames.length && frames[first]!.endSeconds <= middle) first++;
    while (first > 0 && frames[first]!.startSeconds > middle) first--;
    const sum = sums[speakers[first]!]!;
    const seconds = endSeconds - startSeconds;
    for (let index = 0; index < sum.length; index++) sum[index]! += direction[index]! * seconds;
  }
  const total = spoken.reduce((sum, seconds) => sum + seconds, 0);
  const least = numSpeakers === undefined ? Math.min(leastSpokenSeconds, total / 4) : 0;
  const heard = sums.filter((sum, speaker) => spoken[speaker]! > least && sum.some((value) => value !== 0));
  return (heard.length > 0 ? heard : sums).map(unit);
}

export function unit(sum: Float32Array): Float32Array {
  const length = Math.hypot(...sum) || 1;
  return sum.map((value) => value / length);
}

/** Silence at both ends of a turn that still belongs to it; and the pauses that a speaker makes. */
const edgeSeconds = 0.25;
const pauseSeconds = 1.2;

function toTurns(frames: readonly SpeechFrame[], speakers: Uint8Array): SpeakerTurn[] {
  const turns: SpeakerTurn[] = [];
  const numbers = new Map<number, number>();
  for (const [index, { startSeconds, endSeconds }] of frames.entries()) {
    const voice = speakers[index]!;
    const speaker = numbers.get(voice) ?? numbers.size;
    numbers.set(voice, speaker);
    const last = turns.at(-1);
    if (last?.speaker === speaker && startSeconds - last.endSeconds <= pauseSeconds)
      last.endSeconds = endSeconds;
    else turns.push({ startSeconds, endSeconds, speaker });
  }
  return turns.map(({ startSeconds, endSeconds, speaker }, index) => ({
    startSeconds: Math.max(0, startSeconds - edge(startSeconds - (turns[index - 1]?.endSeconds ?? -1))),
    endSeconds: endSeconds + edge((turns[index + 1]?.startSeconds ?? Number.POSITIVE_INFINITY) - endSeconds),
    speaker,
  }));
}

/** At most half of the silence between two turns. */
function edge(gapSeconds: number): number {
  return Math.min(edgeSeconds, Math.max(0, gapSeconds / 2));
}
