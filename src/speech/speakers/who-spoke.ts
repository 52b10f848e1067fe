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
/** A print of less is too uncertain to find a speaker by; it is given to one of those found. */
const certainSeconds = 1.2;
/** Who speaks less than this altogether is taken for one of the others. */
const leastSpokenSeconds = 1.5;
const rounds = 3;
/** Pieces of speech are grouped more strictly than voices: a voice can still be joined to another, but never be taken apart. */
const strictness = 0.08;
/**
 * What two voices must have in common is less the less was heard of one: groups are found by their differences, and a few prints
 * differ from the rest by chance. All in shares of the model's likeness: how alike the prints of one voice are on average, by how
 * much, times prints, another voice must fall short of that, and what makes two voices of any length different.
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
    voices = await voicesHeard(prints, frames, speakers, voices.length, options);
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

/** The voices as their prints have them now: those of whom too little is left are gone, and those alike are one. */
async function voicesHeard(
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
  for (const { startSeconds, endSeconds, direction } of prints) {
    if (endSeconds - startSeconds < certainSeconds) continue;
    const middle = (startSeconds + endSeconds) / 2;
    while (first + 1 < frames.length && frames[first]!.endSeconds <= middle) first++;
    while (first > 0 && frames[first]!.startSeconds > middle) first--;
    addTo(groups[speakers[first]!]!, direction);
  }
  const total = spoken.reduce((sum, seconds) => sum + seconds, 0);
  const least = numSpeakers === undefined ? Math.min(leastSpokenSeconds, total / 4) : 0;
  const heard = groups.filter((group, speaker) => spoken[speaker]! > least && group.count > 0);
  if (heard.length === 0)
    return groupVoices(groupRuns(prints, sameSpeakerLikeness), { required: sameSpeakerLikeness, groups: 1 });
  if (numSpeakers !== undefined) return heard;
  return groupVoices(heard, {
    required: (first, second) => sameSpeakerLikeness * requiredShare((first * second) / (first + second)),
  });
}

function requiredShare(prints: number): number {
  return Math.min(1, Math.max(differentShare, ownShare - evidenceShare / prints));
}

function emptyGroup({ direction }: VoicePrint): VoiceGroup {
  return { count: 0, sum: new Float32Array(direction.length) };
}

function unitOf({ sum }: VoiceGroup): Float32Array {
  return unit(sum);
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
