import { pcmSampleRate } from '../../audio/pcm.ts';
import type { RunOptions } from '../../pool/dispatcher.ts';
import type { PoolLog } from '../../pool/process-pool.ts';
import { shiftTimes } from '../windows/shift-times.ts';
import type { SpokenStretch } from '../windows/speech-window.ts';
import { createTurnSearch } from './assign-speakers.ts';
import type { SpeakerModel, VoicePrint } from './speaker-model.ts';
import { dot } from './voice-groups.ts';
import { type SpeakerTurn, unit, whoSpoke } from './who-spoke.ts';

/** Tells speakers apart while they speak. */
export type SpeakerTracker = {
  /** Speech, in the order of the stream; calls do not overlap. */
  add(audio: Float32Array, startSeconds: number): Promise<void>;
  labelOf(startSeconds: number, endSeconds: number): number | undefined;
  /** The stretches that `labelOf` was asked about, and whose label has changed since the last call. */
  revisions(): SpeakerTurn[];
  readonly speakers: number;
};

export type SpeakerTrackerOptions = { model: SpeakerModel; run: RunOptions; log?: Pick<PoolLog, 'warn'> };

/** Older speech keeps its label. Of its prints only the sum for each label is kept. */
const memorySeconds = 240;

/**
 * With every addition it is decided again who spoke in the last minutes, and the labels are carried over: a group of prints keeps
 * the label that most of it had. So a voice that was first taken for another gets its own label once there is enough of it.
 */
export function createSpeakerTracker({ model, run, log }: SpeakerTrackerOptions): SpeakerTracker {
  let prints: VoicePrint[] = [];
  let speech: SpokenStretch[] = [];
  let turns: SpeakerTurn[] = [];
  /** By label: the sum of the embeddings that have been forgotten. */
  const voices: Float32Array[] = [];
  const asked: SpeakerTurn[] = [];

  return {
    async add(audio, startSeconds) {
      const endSeconds = startSeconds + audio.length / pcmSampleRate;
      const whole = { startSeconds: 0, endSeconds: endSeconds - startSeconds };
      const taken = await takePrints(audio, whole);
      if (taken.length === 0) return;
      forget(endSeconds - memorySeconds);
      prints.push(...taken.map((print) => shiftTimes(print, startSeconds)));
      speech.push(shiftTimes(whole, startSeconds));
      const found = await whoSpoke(prints, speech, { sameSpeakerLikeness: model.sameSpeakerLikeness });
      turns = withLabels(found);
    },
    labelOf(startSeconds, endSeconds) {
      const speaker = currentLabel({ startSeconds, endSeconds });
      if (speaker !== undefined) asked.push({ startSeconds, endSeconds, speaker });
      return speaker;
    },
    revisions() {
      const changed: SpeakerTurn[] = [];
      for (const stretch of asked) {
        const speaker = currentLabel(stretch);
        if (speaker === undefined || speaker === stretch.speaker) continue;
        stretch.speaker = speaker;
        changed.push({ ...stretch });
      }
      return changed;
    },
    get speakers() {
      return new Set(asked.map(({ speaker }) => speaker)).size;
    },
  };

  /** The text of a stream must go on even when nobody can tell who speaks, so a failure is only logged. */
  async function takePrints(audio: Float32Array, whole: SpokenStretch): Promise<VoicePrint[]> {
    try {
      return await model.embed({ audio, speech: [whole] }, run);
    } catch (error) {
      if (!run.signal?.aborted)
        log?.warn({ reason: (error as Error).message }, 'the speaker of an utterance is not known');
      return [];
    }
  }

  function currentLabel(stretch: SpokenStretch): number | undefined {
    const first = speech[0];
    if (!first || stretch.endSeconds <= first.startSeconds) return undefined;
    return createTurnSearch(turns)(stretch);
  }

  /** Prints from before `seconds` are added to the sum of their label, and forgotten. */
  function forget(seconds: number): void {
    const search = createTurnSearch(turns);
    for (const print of prints.filter(({ endSeconds }) => endSeconds < seconds)) {
      const label = search(print);
      voices[label] = (voices[label] ?? new Float32Array(print.embedding.length)).map(
        (value, index) => value + print.embedding[index]!,
      );
    }
    prints = prints.filter(({ endSeconds }) => endSeconds >= seconds);
    speech = speech.filter(({ endSeconds }) => endSeconds >= seconds);
    turns = turns.filter(({ endSeconds }) => endSeconds >= seconds);
  }

  /** Each speaker found gets the label with which it shares the most time; else that of a voice like it; else a new one. */
  function withLabels(found: readonly SpeakerTurn[]): SpeakerTurn[] {
    const labels = new Map<number, number>();
    const free = (label: number) => ![...labels.values()].includes(label);
    for (const { speaker, label } of sharedTimes(found, turns)) {
      if (!labels.has(speaker) && free(label)) labels.set(speaker, label);
    }
    for (const { speaker } of found) {
      if (labels.has(speaker)) continue;
      const known = rememberedLabel(found, speaker, free);
      labels.set(speaker, known ?? nextLabel([...labels.values()]));
    }
    return found.map((turn) => ({ ...turn, speaker: labels.get(turn.speaker)! }));
  }

  function rememberedLabel(
    found: readonly SpeakerTurn[],
    speaker: number,
    free: (label: number) => boolean,
  ): number | undefined {
    const search = createTurnSearch(found);
    const spoken = prints.filter((print) => search(print) === speaker);
    const sum = new Float32Array(prints[0]!.embedding.length);
    for (const { embedding } of spoken) {
      for (const [index, value] of embedding.entries()) sum[index]! += value;
    }
    let best: { label: number; likeness: number } | undefined;
    for (const [label, voice] of voices.entries()) {
      if (!voice || !free(label)) continue;
      const likeness = dot(unit(sum), unit(voice));
      if (likeness > Math.max(best?.likeness ?? 0, model.sameSpeakerLikeness)) best = { label, likeness };
    }
    return best?.label;
  }

  function nextLabel(taken: readonly number[]): number {
    return Math.max(-1, voices.length - 1, ...taken, ...turns.map(({ speaker }) => speaker)) + 1;
  }
}

/** Each pair of a speaker found and an earlier label, the longest shared time first. */
function sharedTimes(found: readonly SpeakerTurn[], before: readonly SpeakerTurn[]) {
  const times = new Map<string, { speaker: number; label: number; seconds: number }>();
  for (const turn of found) {
    for (const old of before) {
      const seconds =
        Math.min(turn.endSeconds, old.endSeconds) - Math.max(turn.startSeconds, old.startSeconds);
      if (seconds <= 0) continue;
      const key = `${turn.speaker} ${old.speaker}`;
      const known = times.get(key) ?? { speaker: turn.speaker, label: old.speaker, seconds: 0 };
      times.set(key, { ...known, seconds: known.seconds + seconds });
    }
  }
  return [...times.values()].sort((a, b) => b.seconds - a.seconds);
}
