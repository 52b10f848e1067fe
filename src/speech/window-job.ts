import { setImmediate } from 'node:timers/promises';
import { pcmSampleRate } from '../audio/pcm.ts';
import type { JobRunner } from '../inference/job-runner.ts';
import { createWhisperDecoder, type WhisperDecoder } from '../inference/whisper-decoder.ts';
import { createWhisperEncoder, type WhisperEncoder } from '../inference/whisper-encoder.ts';
import { fullContextFrames, readWhisperShape } from '../model/whisper-shape.ts';
import { createLogMel, type LogMel } from './log-mel.ts';
import type { SpokenLanguage } from './segment.ts';
import { timedSegments } from './timed-segments.ts';
import { createTokenRules, type TokenRules } from './token-rules.ts';
import { readVocabulary, type Vocabulary } from './vocabulary.ts';
import { type Attempt, WindowDecoding } from './window-decoding.ts';
import type { RecognisedWindow, WindowJob, WindowJobSettings } from './window-messages.ts';
import { alignWords } from './word-times.ts';

/** Loaded in every inference process: recognises windows, several side by side. */
export async function createJobRunner(
  settings: WindowJobSettings,
): Promise<JobRunner<WindowJob, RecognisedWindow>> {
  const shape = await readWhisperShape(settings.modelFolder);
  const vocabulary = await readVocabulary(settings.modelFolder);
  const { integers, threads, slots: capacity } = settings;
  const network: Network = {
    vocabulary,
    vocabularySize: shape.vocabulary,
    rules: createTokenRules(vocabulary),
    logMel: createLogMel(),
    encoder: await createWhisperEncoder({ graphPath: settings.encoderPath, shape, integers, threads }),
    decoder: await createWhisperDecoder({
      graphPath: settings.decoderPath,
      shape,
      integers,
      threads,
      capacity,
    }),
  };
  return new WindowRunner(network);
}

type Network = {
  vocabulary: Vocabulary;
  vocabularySize: number;
  rules: TokenRules;
  logMel: LogMel;
  encoder: WhisperEncoder;
  decoder: WhisperDecoder;
};

type Request = {
  job: WindowJob;
  signal: AbortSignal;
  resolve: (result: RecognisedWindow) => void;
  reject: (reason: unknown) => void;
};

/** A window that is being decoded; the row index in `#active` is its place in the decoder. */
type Active = Request & {
  language: SpokenLanguage;
  noSpeechProbability: number;
  decoding: WindowDecoding;
  nextToken: number;
};

class WindowRunner implements JobRunner<WindowJob, RecognisedWindow> {
  readonly #network: Network;
  readonly #waiting: Request[] = [];
  readonly #active: Active[] = [];
  #running = false;

  constructor(network: Network) {
    this.#network = network;
  }

  run(job: WindowJob, signal: AbortSignal): Promise<RecognisedWindow> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, signal, resolve, reject });
      if (!this.#running) void this.#work();
    });
  }

  /** Between any two runs of a graph, messages are let in: a cancelled window leaves, a new one joins. */
  async #work(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0 || this.#active.length > 0) {
      await setImmediate();
      this.#dropCancelled();
      const request =
        this.#active.length < this.#network.decoder.capacity ? this.#waiting.shift() : undefined;
      try {
        if (request) await this.#begin(request);
        else if (this.#active.length > 0) await this.#step();
      } catch (error) {
        this.#fail(error, request);
      }
    }
    this.#running = false;
  }

  #dropCancelled(): void {
    for (let i = this.#waiting.length - 1; i >= 0; i--) {
      const { signal, reject } = this.#waiting[i]!;
      if (signal.aborted) {
        this.#waiting.splice(i, 1);
        reject(signal.reason);
      }
    }
    for (let place = this.#active.length - 1; place >= 0; place--) {
      const { signal, reject } = this.#active[place]!;
      if (signal.aborted) {
        this.#leave(place);
        reject(signal.reason);
      }
    }
  }

  async #begin(request: Request): Promise<void> {
    const { encoder, decoder, logMel, vocabulary, rules } = this.#network;
    const { job } = request;
    const encoded = await encoder.encode(logMel(job.audio, 2 * fullContextFrames), fullContextFrames);
    const place = decoder.add(encoded);
    const row = await decoder.prompt(place, this.#opening(job));
    const language = chooseLanguage(job, row, vocabulary);
    const active: Active = {
      ...request,
      language,
      noSpeechProbability: Math.exp(row[vocabulary.noSpeech]!),
      nextToken: vocabulary.transcribe,
      decoding: new WindowDecoding({
        vocabulary,
        rules,
        audioSeconds: job.audio.length / pcmSampleRate,
        noSpeechProbability: Math.exp(row[vocabulary.noSpeech]!),
        seed: job.audio.length,
        firstTemperature: job.temperature,
      }),
    };
    this.#active.push(active);
    await this.#take(
      place,
      await decoder.prompt(place, [vocabulary.languages[language], vocabulary.transcribe]),
    );
  }

  #opening({ promptTokens }: WindowJob): number[] {
    const { startOfPrevious, startOfTranscript } = this.#network.vocabulary;
    return promptTokens.length > 0
      ? [startOfPrevious, ...promptTokens, startOfTranscript]
      : [startOfTranscript];
  }

  async #step(): Promise<void> {
    const { decoder, vocabularySize } = this.#network;
    const rows = await decoder.step(this.#active.map((active) => active.nextToken));
    // From the last place down: a window that leaves moves only those behind it.
    for (let place = this.#active.length - 1; place >= 0; place--) {
      await this.#take(place, rows.subarray(place * vocabularySize, (place + 1) * vocabularySize));
    }
  }

  async #take(place: number, row: Float32Array): Promise<void> {
    const active = this.#active[place]!;
    const answer = active.decoding.accept(row);
    if ('next' in answer) {
      active.nextToken = answer.next;
    } else if ('restart' in answer) {
      const { decoder, vocabulary } = this.#network;
      decoder.restart(place);
      const opening = [
        ...this.#opening(active.job),
        vocabulary.languages[active.language],
        vocabulary.transcribe,
      ];
      await this.#take(place, await decoder.prompt(place, opening));
    } else {
      await this.#finish(place, answer.done);
    }
  }

  async #finish(place: number, attempt: Attempt): Promise<void> {
    const { job, language, noSpeechProbability, resolve } = this.#active[place]!;
    const { vocabulary, decoder } = this.#network;
    const audioSeconds = job.audio.length / pcmSampleRate;
    const segments = timedSegments(vocabulary, attempt, audioSeconds);
    if (job.words && segments.length > 0)
      await alignWords({ decoder, place, vocabulary, language, segments, audioSeconds });
    this.#leave(place);
    resolve({
      language,
      noSpeechProbability,
      temperature: attempt.temperature,
      averageLogProbability: attempt.averageLogProbability,
      compressionRatio: attempt.compressionRatio,
      looped: attempt.looped,
      segments,
    });
  }

  #leave(place: number): void {
    this.#network.decoder.remove(place);
    const last = this.#active.pop()!;
    if (place < this.#active.length) this.#active[place] = last;
  }

  /** A graph that fails leaves the caches in doubt: every window in them fails, and the pool tries each again. */
  #fail(error: unknown, request: Request | undefined): void {
    request?.reject(error);
    while (this.#network.decoder.count > 0) this.#network.decoder.remove(this.#network.decoder.count - 1);
    for (const { reject } of this.#active.splice(0)) reject(error);
  }
}

function chooseLanguage(job: WindowJob, row: Float32Array, { languages }: Vocabulary): SpokenLanguage {
  if (job.language === 'en-US') return 'en';
  if (job.language !== 'mixed') return 'zh';
  return row[languages.zh]! >= row[languages.en]! ? 'zh' : 'en';
}
