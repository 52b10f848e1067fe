import { setImmediate } from 'node:timers/promises';
import type { SpokenStretch } from '../windows/speech-window.ts';
import { frameSeconds, type SpeechFrame, speakersOfFrames, speechFrames } from './frame-speakers.ts';
import type { VoicePrint } from './speaker-model.ts';
import { addTo, groupRuns, groupVoices, type VoiceGroup } from './voice-groups.ts';

/** Somebody's turn, from the first word to the last, with the short pauses in between. */
export type SpeakerTurn = { startSeconds: number; endSeconds: number; speaker: number };

export type WhoSpokeOptions = {
  sameSpeakerLikeness: number;
  /** A hint from the caller: as many as this, if there are so many voices. */
  numSpeakers?: number;
};

export const mostSpeakers = 10;
/** A shorter print is too uncertain for finding a speaker; it is given to one of those found. */
const certainSeconds = 1.2;
/** Somebody who speaks less than this altogether is taken for one of the others. */
const leastSpokenSeconds = 1.5;
const rounds = 3;
/** Prints are grouped more strictly than voices, since two voices can still be joined later, but one voice is never split. */
const strictness = 0.08;
/**
 * The likeness that two voices need to be one, as shares of the model's `sameSpeakerLikeness`. It is lower for a voice with few
 * prints: groups are found by their differences, and a few prints differ from the rest by chance. `ownShare` is how alike the prints
 * of one voice are on average; `evidenceShare`, divided by the number of prints, is subtracted from it; the result is never below
 * `differentShare`, under which voices of any length are different.
 */
const ownShare = 1.43;
const evidenceShare = 8;
const differentShare = 0.7;

/** Who spoke when, in the order of the recording; speakers are numbered as they first appear. */
export async function whoSpoke(
  prints: readonly VoicePrint[],
  speech: readonly SpokenStretch[],
  options: WhoSpokeOptions,
): Promise<SpeakerTurn[]> {
  if (speech.length === 0 || prints.length === 0) return [];
  const frames = speechFrames(speech);
  let voices = await firstVoices(prints, options);
  let speakers = speakersOfFrames(frames, prints, voices.map(unitOf));
  for (let round = 0; round < rounds; round++) {
    await setImmediate();
    voices = await voicesOfFrames(prints, frames, speakers, voices.length, options);
    speakers = speakersOfFrames(frames, prints, voices.map(unitOf));
  }
  return toTurns(frames, speakers);
}

async function firstVoices(
  prints: readonly VoicePrint[],
  { sameSpeakerLikeness, numSpeakers }: WhoSpokeOptions,
): Promise<VoiceGroup[]> {
  const certain = prints.filter((print) => print.endSeconds - print.startSeconds >= certainSeconds);
  const chosen = certain.length >= (numSpeakers ?? 1) ? certain : prints;
  const groups = await groupVoices(groupRuns(chosen, sameSpeakerLikeness), {
    required: sameSpeakerLikeness + strictness,
    ...(numSpeakers !== undefined && { groups: Math.min(numSpeakers, mostSpeakers) }),
  });
  groups.sort((a, b) => b.count - a.count);
  return groups.slice(0, mostSpeakers);
}

/** The voices according to the speakers of the frames. A voice with too little speech is dropped, and voices that are alike are joined. */
async function voicesOfFrames(
  prints: readonly VoicePrint[],
  frames: readonly SpeechFrame[],
  speakers: Uint8Array,
  count: number,
  { sameSpeakerLikeness, numSpeakers }: WhoSpokeOptions,
): Promise<VoiceGroup[]> {
  const spoken = new Float64Array(count);
  for (const speaker of speakers) spoken[speaker]! += frameSeconds;
  const groups = spoken.reduce<VoiceGroup[]>((all) => [...all, emptyGroup(prints[0]!)], []);
  let first = 0;
  for (const { startSeconds, endSeconds, embedding } of prints) {
    if (endSeconds - startSeconds < certainSeconds) continue;
    const middle = (startSeconds + endSeconds) / 2;
    while (first + 1 < frames.length && frames[first]!.endSeconds <= middle) first++;
    while (first > 0 && frames[first]!.startSeconds > middle) first--;
    addTo(groups[speakers[first]!]!, embedding);
  }
  const total = spoken.reduce((sum, seconds) => sum + seconds, 0);
  const least = numSpeakers === undefined ? Math.min(leastSpokenSeconds, total / 4) : 0;
  const speaking = groups.filter((group, speaker) => spoken[speaker]! > least && group.count > 0);
  if (speaking.length === 0)
    return groupVoices(groupRuns(prints, sameSpeakerLikeness), { required: sameSpeakerLikeness, groups: 1 });
  if (numSpeakers !== undefined) return speaking;
  return groupVoices(speaking, {
    required: (first, second) => sameSpeakerLikeness * requiredShare((first * second) / (first + second)),
  });
}

function requiredShare(prints: number): number {
  return Math.min(1, Math.max(differentShare, ownShare - evidenceShare / prints));
}

function emptyGroup({ embedding }: VoicePrint): VoiceGroup {
  return { count: 0, sum: new Float32Array(embedding.length) };
}

function unitOf({ sum }: VoiceGroup): Float32Array {
  return unit(sum);
}

export function unit(sum: Float32Array): Float32Array {
  const length = Math.hypot(...sum) || 1;
  return sum.map((value) => value / length);
}

/** How much silence at both ends of a turn belongs to it, and how long a pause inside a turn may be. */
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
