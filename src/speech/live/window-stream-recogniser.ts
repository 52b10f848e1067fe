import { pcmSampleRate } from '../../audio/pcm.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { withoutTaiwanese } from '../recognition/without-taiwanese.ts';
import type { TranscribeParts } from '../transcribe.ts';
import type { SpeechWindow } from '../windows/speech-window.ts';
import { priorityOf } from '../windows/window-urgency.ts';
import { type Agreement, createAgreement } from './agreement.ts';
import { recogniseUtterance, type UtteranceText } from './recognise-utterance.ts';
import { createRunningWindow, type WindowKind } from './running-window.ts';
import type { SpeechStream, StreamOptions, StreamRecogniser, StreamText } from './stream-recogniser.ts';
import { createUtteranceListener, type UtteranceOver } from './utterance-listener.ts';
import type { Utterance } from './utterance-tracker.ts';

export type WindowStreamParts = Pick<
  TranscribeParts,
  'dispatcher' | 'voice' | 'tokenisePrompt' | 'taiwanese'
>;

/** So much silence, and the utterance is recognised as if it were over: mostly it is. */
const hopefulSilence = 0.22 * pcmSampleRate;
/** Speech before the first partial. */
const firstPartial = 0.45 * pcmSampleRate;
/** In a pause no partial is begun that would stand in the way of a final. */
const partialPause = 0.06 * pcmSampleRate;
/** What was said up to so long before an utterance is told to the model, up to so many tokens. */
const contextGap = 2 * pcmSampleRate;
const mostContextTokens = 60;

/** What is known of an utterance so far. */
type Progress = {
  id: number;
  agreement: Agreement;
  draft: number[];
  /** Recognised in the hope that it was over; it holds as long as nobody goes on speaking. */
  hopeful?: { speechEnd: number; text: Promise<UtteranceText | undefined> };
  /** Up to where it has been recognised. */
  partialAt: number | undefined;
};

type Final = UtteranceOver & { progress: Progress; text: Promise<UtteranceText | undefined> | undefined };

/** Streams over a model that hears whole windows: the current utterance is heard again and again, one that is over never. */
export function createWindowStreamRecogniser(parts: WindowStreamParts): StreamRecogniser {
  return { open: (options) => openStream(parts, options) };
}

function openStream(parts: WindowStreamParts, options: StreamOptions): SpeechStream {
  const { onEvent, language, requestId, interimResults } = options;
  if (language === 'nan-TW' && !parts.taiwanese) throw withoutTaiwanese();
  const endpointSamples = (options.endpointingMs / 1000) * pcmSampleRate;
  const hopefulSamples = Math.min(hopefulSilence, endpointSamples);
  const finals: Final[] = [];
  const stop = new AbortController();
  const promptTokens = parts.tokenisePrompt(undefined, options.hotwords);
  promptTokens.catch(() => {});
  let current: Progress | undefined;
  let failure: unknown;
  /** What was said just before: mostly the same sentence goes on. */
  let before: { tokens: number[]; text: string; endSample: number } | undefined;

  const turn = createRunningWindow({
    stop: stop.signal,
    onFree: proceed,
    onFailure: (error) => {
      failure ??= error;
    },
  });
  const listener = createUtteranceListener({
    voice: parts.voice.open(),
    endpointSamples,
    hopefulSamples,
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
      while (finals.length > 0 && !failure && !stop.signal.aborted) await turn.done();
      if (failure) throw failure;
    },
    get doneSeconds() {
      return (finals[0]?.utterance.start ?? listener.totalSamples) / pcmSampleRate;
    },
    async abort() {
      stop.abort(new ServiceError('shutting_down'));
      await turn.done();
    },
  };

  function progressOf({ id }: Utterance): Progress {
    if (current?.id !== id) current = { id, agreement: createAgreement(), draft: [], partialAt: undefined };
    return current;
  }

  /** It is recognised once more at most, and never again. */
  function awaitFinal(over: UtteranceOver): void {
    const progress = progressOf(over.utterance);
    const { hopeful } = progress;
    const text = hopeful?.speechEnd === over.utterance.speechEnd ? hopeful.text : undefined;
    finals.push({ ...over, progress, text });
    if (turn.kind === 'partial' || (turn.kind === 'hopeful' && !text)) turn.giveUp();
    current = undefined;
  }

  /** Begins the next window, if there is one worth it and none is under way. */
  function proceed(): void {
    if (stop.signal.aborted || failure) return;
    const { utterance, silentSamples } = listener;
    if (turn.kind) {
      if (turn.kind === 'partial' && silentSamples >= hopefulSamples) turn.giveUp();
      return;
    }
    const [final] = finals;
    if (final) void turn.start('final', (signal) => sayFinal(final, signal));
    else if (utterance && utterance.stretches.length > 0) {
      const progress = progressOf(utterance);
      if (silentSamples >= hopefulSamples) hope(progress, utterance);
      else if (interimResults && silentSamples <= partialPause && isDue(progress, utterance))
        void listenAgain('partial', progress);
    }
  }

  function hope(progress: Progress, { speechEnd }: Utterance): void {
    if (progress.hopeful?.speechEnd === speechEnd) return;
    progress.hopeful = { speechEnd, text: listenAgain('hopeful', progress) };
  }

  function isDue({ partialAt }: Progress, { stretches }: Utterance): boolean {
    const { heardSamples } = listener;
    if (partialAt === undefined) return heardSamples - stretches[0]!.start >= firstPartial;
    return heardSamples - partialAt >= turn.intervalSeconds * pcmSampleRate;
  }

  function listenAgain(kind: 'partial' | 'hopeful', progress: Progress): Promise<UtteranceText | undefined> {
    const window = listener.windowSoFar();
    progress.partialAt = listener.heardSamples;
    return turn.start(kind, async (signal) => {
      const heard = await recognise(progress, window, kind, signal);
      if (heard) sayPartial(progress, heard);
      return heard;
    });
  }

  function sayPartial(progress: Progress, heard: UtteranceText): void {
    progress.draft = heard.draft;
    if (!interimResults || current !== progress || stop.signal.aborted) return;
    const text = progress.agreement.add(heard.text, heard.averageLogProbability);
    if (text !== '') onEvent({ type: 'partial', ...textOf(heard), text });
  }

  async function sayFinal(final: Final, signal: AbortSignal): Promise<void> {
    const { progress, window, utterance, speechFinal, fromFinalize } = final;
    let heard = (await final.text) ?? (await recognise(progress, window, 'final', signal));
    // The model may only repeat what it was told had been said.
    if (heard && heard.text !== '' && heard.text === before?.text)
      heard = await recognise(progress, window, 'final', signal, []);
    finals.shift();
    if (signal.aborted) return;
    before = heard && {
      tokens: heard.textTokens.slice(-mostContextTokens),
      text: heard.text,
      endSample: utterance.speechEnd,
    };
    const text = heard ? textOf(heard) : nothingAt(utterance.speechEnd / pcmSampleRate);
    onEvent({ type: 'final', speechFinal, fromFinalize, audio: window.audio, ...text });
  }

  function contextOf({ pieces }: SpeechWindow): number[] {
    const start = pieces[0]!.startSeconds * pcmSampleRate;
    return before && start - before.endSample < contextGap ? before.tokens : [];
  }

  async function recognise(
    { draft }: Progress,
    window: SpeechWindow,
    kind: WindowKind,
    signal: AbortSignal,
    context = contextOf(window),
  ): Promise<UtteranceText | undefined> {
    if (window.speech.length === 0) return undefined;
    return recogniseUtterance({
      window,
      language,
      draft,
      kind: kind === 'partial' ? 'partial' : 'final',
      words: options.words,
      promptTokens: [...(await promptTokens), ...context],
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
