import { pcmSampleRate } from '../audio/pcm.ts';
import { ServiceError } from '../errors.ts';
import type {
  SpeechStream,
  StreamOptions,
  StreamRecogniser,
  StreamText,
} from '../speech/stream-recogniser.ts';
import { type TranscribeParts, withoutTaiwanese } from '../speech/transcribe.ts';
import { findPause } from '../speech/window-pause.ts';
import type { SpeechWindow } from '../speech/windows.ts';
import { type Agreement, createAgreement } from './agreement.ts';
import { recogniseUtterance, type UtteranceText } from './recognise-utterance.ts';
import { createStreamAudio } from './stream-audio.ts';
import { createStreamPace } from './stream-pace.ts';
import { type Utterance, UtteranceTracker } from './utterance-tracker.ts';
import { utteranceWindow, windowSamples } from './utterance-window.ts';

export type WindowStreamParts = Pick<
  TranscribeParts,
  'dispatcher' | 'voice' | 'tokenisePrompt' | 'taiwanese'
>;

/** So much silence, and the utterance is recognised as if it were over: mostly it is. */
const hopefulSilence = 0.16 * pcmSampleRate;
const paddingAfter = 0.3 * pcmSampleRate;
/** Speech before the first partial. */
const firstPartial = 0.45 * pcmSampleRate;
/** In a pause no partial is begun that would stand in the way of a final. */
const partialPause = 0.06 * pcmSampleRate;
/** A long utterance is cut at the next short pause, and a longer one wherever it is quietest. */
const longUtterance = 9 * pcmSampleRate;
const longPause = 0.2 * pcmSampleRate;
const longestUtterance = 16 * pcmSampleRate;
const pauseSearch = 5 * pcmSampleRate;

/** What is known of an utterance so far. */
type Progress = {
  utterance: Utterance;
  agreement: Agreement;
  draft: number[];
  /** Recognised in the hope that it was over; it holds as long as nobody goes on speaking. */
  hopeful?: { speechEnd: number; text: Promise<UtteranceText | undefined> };
  partialAt: number;
};

type Final = {
  progress: Progress;
  window: SpeechWindow;
  speechFinal: boolean;
  fromFinalize: boolean;
  text?: Promise<UtteranceText | undefined>;
};

/** Streams over a model that hears whole windows: the current utterance is heard again and again, one that is over never. */
export function createWindowStreamRecogniser(parts: WindowStreamParts): StreamRecogniser {
  return { open: (options) => openStream(parts, options) };
}

function openStream(parts: WindowStreamParts, options: StreamOptions): SpeechStream {
  const { onHeard, language } = options;
  if (language === 'nan-TW' && !parts.taiwanese) throw withoutTaiwanese();
  const endpointSamples = (options.endpointingMs / 1000) * pcmSampleRate;
  const hopefulAfter = Math.min(hopefulSilence, endpointSamples);
  const voice = parts.voice.open();
  const audio = createStreamAudio();
  const tracker = new UtteranceTracker();
  const pace = createStreamPace();
  const finals: Final[] = [];
  const stop = new AbortController();
  const promptTokens = parts.tokenisePrompt(undefined, options.hotwords);
  promptTokens.catch(() => {});
  let current: Progress | undefined;
  /** The window under way, and what to call when a final cannot wait for it. */
  let job: { kind: 'partial' | 'hopeful' | 'final'; abort(): void } | undefined;
  let working: Promise<void> = Promise.resolve();
  let failure: unknown;

  return {
    async push(samples) {
      if (failure) throw failure;
      audio.append(samples);
      const probabilities = await voice.push(samples);
      audio.addProbabilities(probabilities);
      for (const probability of probabilities) hear(probability);
      audio.forgetBefore(Math.min(tracker.neededFrom, audio.totalSamples));
      proceed();
    },
    async finalize() {
      const { utterance } = tracker;
      if (utterance) {
        const end = Math.min(
          audio.totalSamples,
          Math.max(utterance.speechEnd + paddingAfter, utterance.start),
        );
        const isOver = tracker.silentSamples >= hopefulAfter;
        const at = isOver ? end : audio.totalSamples;
        finish(isOver ? tracker.end() : tracker.cut(at), { at, speechFinal: true, fromFinalize: true });
      }
      proceed();
      while (finals.length > 0 && !failure && !stop.signal.aborted) await working;
      if (failure) throw failure;
    },
    get doneSeconds() {
      const [oldest] = finals;
      return (oldest ? oldest.progress.utterance.start : audio.totalSamples) / pcmSampleRate;
    },
    async abort() {
      stop.abort(new ServiceError('shutting_down'));
      await working;
    },
  };

  function hear(probability: number): void {
    if (tracker.hear(probability))
      onHeard({ type: 'speech_started', atSeconds: tracker.utterance!.stretches[0]!.start / pcmSampleRate });
    const { utterance } = tracker;
    if (!utterance) return;
    const { silentSamples, heardSamples } = tracker;
    if (silentSamples >= endpointSamples) {
      const at = Math.min(heardSamples, utterance.speechEnd + paddingAfter);
      finish(tracker.end(), { at, speechFinal: true });
      return;
    }
    const length = windowSamples(utterance, heardSamples);
    if (length > longestUtterance) {
      const from = Math.max(utterance.start, heardSamples - pauseSearch);
      const at = findPause(audio.read(from, heardSamples), from, (frame) => audio.probability(frame));
      finish(tracker.cut(at), { at, speechFinal: false });
    } else if (length > longUtterance && silentSamples >= Math.max(longPause, hopefulAfter)) {
      if (utterance.stretches.length > 0)
        finish(tracker.cut(heardSamples), { at: heardSamples, speechFinal: false });
    }
  }

  function progressOf(utterance: Utterance): Progress {
    if (current?.utterance.id !== utterance.id)
      current = { utterance, agreement: createAgreement(), draft: [], partialAt: utterance.start };
    return current;
  }

  /** What was said up to `at` is over: it is recognised once more at most, and never again. */
  function finish(
    utterance: Utterance,
    { at, speechFinal, fromFinalize = false }: { at: number; speechFinal: boolean; fromFinalize?: boolean },
  ): void {
    const progress = progressOf(utterance);
    const window = utteranceWindow(audio, utterance, at);
    const { hopeful } = progress;
    const holds = hopeful?.speechEnd === utterance.speechEnd;
    finals.push({
      progress: { ...progress, utterance },
      window,
      speechFinal,
      fromFinalize,
      ...(holds && { text: hopeful.text }),
    });
    if (job?.kind === 'partial' || (job?.kind === 'hopeful' && !holds)) job.abort();
    current = undefined;
  }

  /** Begins the next window, if there is one worth it and none is under way. */
  function proceed(): void {
    if (stop.signal.aborted || failure) return;
    if (job) {
      if (job.kind === 'partial' && tracker.silentSamples >= hopefulAfter) job.abort();
      return;
    }
    const [final] = finals;
    if (final) {
      start('final', () => settle(final));
      return;
    }
    const { utterance, silentSamples, heardSamples } = tracker;
    if (!utterance || utterance.stretches.length === 0) return;
    const progress = progressOf(utterance);
    if (silentSamples >= hopefulAfter) {
      if (progress.hopeful?.speechEnd === utterance.speechEnd) return;
      begin(progress, 'hopeful', heardSamples);
    } else if (options.interimResults && silentSamples <= partialPause) {
      const isFirst = progress.partialAt === utterance.start;
      const enough = isFirst ? firstPartial : pace.intervalSeconds * pcmSampleRate;
      const since = isFirst ? utterance.stretches[0]!.start : progress.partialAt;
      if (heardSamples - since >= enough) begin(progress, 'partial', heardSamples);
    }
  }

  function begin(progress: Progress, kind: 'partial' | 'hopeful', end: number): void {
    const window = utteranceWindow(audio, progress.utterance, end);
    const { speechEnd } = progress.utterance;
    const text = start(kind, async (signal) => {
      const heard = await recognise(progress, window, kind, signal);
      if (heard) showPartial(progress, heard);
      return heard;
    });
    progress.partialAt = end;
    if (kind === 'hopeful') progress.hopeful = { speechEnd, text };
  }

  /** One window at a time. Gives nothing when it was given up. */
  function start<Result>(
    kind: 'partial' | 'hopeful' | 'final',
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result | undefined> {
    const given = new AbortController();
    const signal = AbortSignal.any([stop.signal, given.signal]);
    const startedAt = performance.now();
    job = { kind, abort: () => given.abort() };
    const done = work(signal).then(
      (result) => {
        if (kind !== 'final') pace.note((performance.now() - startedAt) / 1000);
        return result;
      },
      (error) => {
        if (!signal.aborted) failure ??= error;
        return undefined;
      },
    );
    working = done.then(() => {
      job = undefined;
      proceed();
    });
    return done;
  }

  async function settle(final: Final): Promise<void> {
    const { progress, window, speechFinal, fromFinalize } = final;
    const heard = (await final.text) ?? (await recognise(progress, window, 'final', stop.signal));
    finals.shift();
    if (stop.signal.aborted) return;
    const text = heard ? textOf(heard) : nothingAt(progress.utterance.speechEnd / pcmSampleRate);
    onHeard({ type: 'final', speechFinal, fromFinalize, audio: window.audio, ...text });
  }

  async function recognise(
    { draft }: Progress,
    window: SpeechWindow,
    kind: 'partial' | 'hopeful' | 'final',
    signal: AbortSignal,
  ): Promise<UtteranceText | undefined> {
    if (window.speech.length === 0) return undefined;
    return recogniseUtterance({
      window,
      language,
      draft,
      kind: kind === 'partial' ? 'partial' : 'final',
      words: options.words,
      promptTokens: await promptTokens,
      run: (windowJob) =>
        parts.dispatcher.run(windowJob, { requestId: options.requestId, priority: 'realtime', signal }),
    });
  }

  function showPartial(progress: Progress, heard: UtteranceText): void {
    progress.draft = heard.draft;
    if (!options.interimResults || current !== progress || stop.signal.aborted) return;
    const text = progress.agreement.add(heard.text, heard.averageLogProbability);
    if (text !== '') onHeard({ type: 'partial', ...textOf(heard), text });
  }
}

function textOf({ startSeconds, endSeconds, text, language, words }: UtteranceText): StreamText {
  return { startSeconds, endSeconds, text, language, words };
}

function nothingAt(seconds: number): StreamText {
  return { startSeconds: seconds, endSeconds: seconds, text: '', language: 'zh', words: [] };
}
