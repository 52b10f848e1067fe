import { pcmSampleRate } from '../../audio/pcm.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { withPrevious } from '../recognition/prompt-tokens.ts';
import type { RecognitionParts } from '../recognition/recognition-parts.ts';
import { withoutTaiwanese } from '../recognition/without-taiwanese.ts';
import type { SpeechWindow } from '../windows/speech-window.ts';
import { priorityOf } from '../windows/window-urgency.ts';
import { type Agreement, createAgreement } from './agreement.ts';
import { recogniseUtterance, type UtteranceText } from './recognise-utterance.ts';
import { createRunningWindow, type WindowKind } from './running-window.ts';
import type { SpeechStream, StreamOptions, StreamRecogniser, StreamText } from './stream-recogniser.ts';
import { createUtteranceListener, type UtteranceOver } from './utterance-listener.ts';
import type { Utterance } from './utterance-tracker.ts';

export type WindowStreamParts = RecognitionParts & {
  /** A clock in milliseconds, for how often partials are worth their time. */
  now?(): number;
};

/** After this much silence the utterance is recognised as if it were over, since mostly it is. */
const speculativeSilence = 0.22 * pcmSampleRate;
/** Speech before the first partial. */
const firstPartial = 0.45 * pcmSampleRate;
/** After this much silence no partial is begun, since the final would have to wait for it. */
const partialPause = 0.06 * pcmSampleRate;
/** The model is told what was said before an utterance: at most so long before, and at most so many tokens. */
const previousGap = 2 * pcmSampleRate;
const mostPreviousTokens = 60;

/** What is known of an utterance so far. */
type Progress = {
  id: number;
  agreement: Agreement;
  draft: number[];
  /** The text of the utterance as if it had ended at `speechEnd`. It holds as long as nobody goes on speaking. */
  speculative?: { speechEnd: number; text: Promise<UtteranceText | undefined> };
  /** The sample up to which it has been recognised. */
  partialAt: number | undefined;
};

type Final = UtteranceOver & { progress: Progress; text: Promise<UtteranceText | undefined> | undefined };

/** Streams over a model that recognises whole windows: the current utterance is recognised again and again, one that is over never. */
export function createWindowStreamRecogniser(parts: WindowStreamParts): StreamRecogniser {
  return { open: (options) => openStream(parts, options) };
}

function openStream(parts: WindowStreamParts, options: StreamOptions): SpeechStream {
  const { onEvent, language, requestId, interimResults } = options;
  if (language === 'nan-TW' && !parts.taiwanese) throw withoutTaiwanese();
  const endpointSamples = (options.endpointingMs / 1000) * pcmSampleRate;
  const speculativeSamples = Math.min(speculativeSilence, endpointSamples);
  const finals: Final[] = [];
  const stop = new AbortController();
  const promptTokens = parts.tokenisePrompt(undefined, options.hotwords);
  promptTokens.catch(() => {});
  let current: Progress | undefined;
  let failure: unknown;
  /** The utterance before, since mostly the same sentence goes on. */
  let previous: { tokens: number[]; text: string; endSample: number } | undefined;

  const running = createRunningWindow({
    stop: stop.signal,
    now: parts.now ?? (() => performance.now()),
    onFree: proceed,
    onFailure: (error) => {
      failure ??= error;
    },
  });
  const listener = createUtteranceListener({
    voice: parts.voice.open(),
    endpointSamples,
    speculativeSamples,
    onStarted: (atSeconds) => onEvent({ type: 'speech_started', atSeconds }),
    onOver: awaitFinal,
  });

  return {
    async push(samples) {
      if (failure) throw failure;
      await listener.push(samples);
      proceed();
    },
    async finalize() {
      listener.finalize();
      proceed();
      while (finals.length > 0 && !failure && !stop.signal.aborted) await running.done();
      if (failure) throw failure;
    },
    get doneSeconds() {
      return (finals[0]?.utterance.start ?? listener.totalSamples) / pcmSampleRate;
    },
    async abort() {
      stop.abort(new ServiceError('shutting_down'));
      await running.done();
    },
  };

  function progressOf({ id }: Utterance): Progress {
    if (current?.id !== id) current = { id, agreement: createAgreement(), draft: [], partialAt: undefined };
    return current;
  }

  /** An utterance that is over is recognised once more at most. */
  function awaitFinal(over: UtteranceOver): void {
    const progress = progressOf(over.utterance);
    const { speculative } = progress;
    const text = speculative?.speechEnd === over.utterance.speechEnd ? speculative.text : undefined;
    finals.push({ ...over, progress, text });
    if (running.kind === 'partial' || (running.kind === 'speculative' && !text)) running.abandon();
    current = undefined;
  }

  /** Begins the next window, if there is one worth it and none is under way. */
  function proceed(): void {
    if (stop.signal.aborted || failure) return;
    const { utterance, silentSamples } = listener;
    if (running.kind) {
      if (running.kind === 'partial' && silentSamples >= speculativeSamples) running.abandon();
      return;
    }
    const [final] = finals;
    if (final) void running.start('final', (signal) => sayFinal(final, signal));
    else if (utterance && utterance.stretches.length > 0) {
      const progress = progressOf(utterance);
      if (silentSamples >= speculativeSamples) speculate(progress, utterance);
      else if (interimResults && silentSamples <= partialPause && isDue(progress, utterance))
        void recogniseSoFar('partial', progress);
    }
  }

  function speculate(progress: Progress, { speechEnd }: Utterance): void {
    if (progress.speculative?.speechEnd === speechEnd) return;
    progress.speculative = { speechEnd, text: recogniseSoFar('speculative', progress) };
  }

  function isDue({ partialAt }: Progress, { stretches }: Utterance): boolean {
    const { analysedSamples } = listener;
    if (partialAt === undefined) return analysedSamples - stretches[0]!.start >= firstPartial;
    return analysedSamples - partialAt >= running.intervalSeconds * pcmSampleRate;
  }

  function recogniseSoFar(
    kind: 'partial' | 'speculative',
    progress: Progress,
  ): Promise<UtteranceText | undefined> {
    const window = listener.windowSoFar();
    progress.partialAt = listener.analysedSamples;
    return running.start(kind, async (signal) => {
      const recognised = await recognise(progress, window, kind, signal);
      if (recognised) sayPartial(progress, recognised);
      return recognised;
    });
  }

  function sayPartial(progress: Progress, recognised: UtteranceText): void {
    progress.draft = recognised.draft;
    if (!interimResults || current !== progress || stop.signal.aborted) return;
    const text = progress.agreement.add(recognised.text, recognised.averageLogProbability);
    if (text !== '') onEvent({ type: 'partial', ...textOf(recognised), text });
  }

  async function sayFinal(final: Final, signal: AbortSignal): Promise<void> {
    const { progress, window, utterance, speechFinal, fromFinalize } = final;
    let recognised = (await final.text) ?? (await recognise(progress, window, 'final', signal));
    // Sometimes the model only repeats what it was told of the utterance before.
    if (recognised && recognised.text !== '' && recognised.text === previous?.text)
      recognised = await recognise(progress, window, 'final', signal, []);
    finals.shift();
    if (signal.aborted) return;
    previous = recognised && {
      tokens: recognised.textTokens.slice(-mostPreviousTokens),
      text: recognised.text,
      endSample: utterance.speechEnd,
    };
    const text = recognised ? textOf(recognised) : nothingAt(utterance.speechEnd / pcmSampleRate);
    onEvent({ type: 'final', speechFinal, fromFinalize, audio: window.audio, ...text });
  }

  function tokensBefore({ pieces }: SpeechWindow): number[] {
    const start = pieces[0]!.startSeconds * pcmSampleRate;
    return previous && start - previous.endSample < previousGap ? previous.tokens : [];
  }

  async function recognise(
    { draft }: Progress,
    window: SpeechWindow,
    kind: WindowKind,
    signal: AbortSignal,
    before = tokensBefore(window),
  ): Promise<UtteranceText | undefined> {
    if (window.speech.length === 0) return undefined;
    return recogniseUtterance({
      window,
      language,
      draft,
      kind: kind === 'partial' ? 'partial' : 'final',
      words: options.words,
      promptTokens: withPrevious(await promptTokens, before),
      run: (job) => parts.dispatcher.run(job, { requestId, priority: priorityOf[job.urgency], signal }),
    });
  }
}

function textOf({ startSeconds, endSeconds, text, language, words }: UtteranceText): StreamText {
  return { startSeconds, endSeconds, text, language, words };
}

function nothingAt(seconds: number): StreamText {
  return { startSeconds: seconds, endSeconds: seconds, text: '', language: 'zh', words: [] };
}
