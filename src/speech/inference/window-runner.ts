import { setImmediate } from 'node:timers/promises';
import { pcmSampleRate } from '../../audio/pcm.ts';
import type { JobRunner } from '../../pool/process/job-runner.ts';
import type { SpokenLanguage } from '../transcript/languages.ts';
import type { ArrivedWindow, WindowJob, WindowResult } from '../windows/window-messages.ts';
import { isMoreUrgent, mostUrgent, type Urgency } from '../windows/window-urgency.ts';
import type { TokenRules } from './decoding/token-rules.ts';
import type { Vocabulary } from './decoding/vocabulary.ts';
import { type Attempt, type DecodingAnswer, WindowDecoding } from './decoding/window-decoding.ts';
import { type ContextFrames, contextFeatures, fullContext, shortContext } from './features/context-frames.ts';
import type { LogMel } from './features/log-mel.ts';
import { listenForLanguages } from './languages/listen-for-languages.ts';
import type { WhisperDecoder } from './network/whisper-decoder.ts';
import type { EncodedWindow, WhisperEncoder } from './network/whisper-encoder.ts';
import { recognisedWindow } from './recognised-window.ts';
import { withLead, withoutLead } from './window-lead.ts';

/** Everything loaded for recognising windows. */
export type Network = {
  vocabulary: Vocabulary;
  vocabularySize: number;
  /** The model knows Taiwanese, and hears well with short contexts. */
  adapted: boolean;
  rules: TokenRules;
  logMel: LogMel;
  encoder: WhisperEncoder;
  decoder: WhisperDecoder;
};

type Request = {
  job: WindowJob;
  heard: ContextFrames;
  /** A try went wrong. */
  again: boolean;
  signal: AbortSignal;
  resolve: (result: WindowResult) => void;
  reject: (reason: unknown) => void;
};

/** A window that is being decoded; its index in `#active` is its place in the decoder. */
type Active = Request & {
  language: SpokenLanguage;
  noSpeechProbability: number;
  decoding: WindowDecoding;
  nextToken: number;
};

/** So many steps a window that is decoded again gets before another is begun, which takes about as long. */
const stepsBetween = 20;

function isAbove(urgency: Urgency): (request: Request) => boolean {
  return ({ job }) => isMoreUrgent(job.urgency, urgency);
}

function highest(requests: readonly Request[]): Urgency {
  return mostUrgent(requests.map(({ job }) => job.urgency));
}

/** Decodes windows side by side; the more urgent come first, even between the parts of another's encoding. */
export class WindowRunner implements JobRunner<ArrivedWindow, WindowResult> {
  readonly #network: Network;
  readonly #waiting: Request[] = [];
  readonly #active: Active[] = [];
  #running = false;
  /** Windows under way that will need a place in the decoder. */
  #encoding = 0;
  #stepsSinceBegin = 0;

  constructor(network: Network) {
    this.#network = network;
  }

  run(job: ArrivedWindow, signal: AbortSignal): Promise<WindowResult> {
    return new Promise<WindowResult>((resolve, reject) => {
      const led = withLead(job);
      this.#waiting.push({ job: led, heard: this.#heardOf(led), again: false, signal, resolve, reject });
      if (!this.#running) void this.#work();
    }).then(withoutLead);
  }

  async #work(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0 || this.#active.length > 0) await this.#advance();
    this.#running = false;
  }

  /** Somebody waits for these: they come in between the parts of another window's encoding. */
  async #workAbove(urgency: Urgency): Promise<void> {
    const above = isAbove(urgency);
    while (this.#waiting.some(above) || this.#active.some(above)) await this.#advance();
  }

  /** Between any two runs of a graph, messages are let in: a cancelled window leaves, a new one joins. */
  async #advance(): Promise<void> {
    await setImmediate();
    this.#dropCancelled();
    const request = this.#nextRequest();
    try {
      if (request) await this.#begin(request);
      else if (this.#active.length > 0) await this.#step();
    } catch (error) {
      this.#fail(error, request);
    }
  }

  /**
   * The window to begin now. While a more urgent one is being decoded, others wait: beginning one takes as long as twenty
   * steps. One that is decoded again is not made to wait for every window that comes after it.
   */
  #nextRequest(): Request | undefined {
    const { capacity } = this.#network.decoder;
    if (this.#waiting.length === 0 || this.#active.length + this.#encoding >= capacity) return undefined;
    const urgency = highest(this.#waiting);
    if (isMoreUrgent(highest(this.#active), urgency)) return undefined;
    const waitsAgain = this.#active.some(({ job, again }) => again && job.urgency === urgency);
    if (waitsAgain && this.#stepsSinceBegin < stepsBetween) return undefined;
    this.#stepsSinceBegin = 0;
    const next = this.#waiting.findIndex(({ job }) => job.urgency === urgency);
    return this.#waiting.splice(next, 1)[0];
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
    const { decoder, vocabulary, rules } = this.#network;
    const { job, signal } = request;
    const encoded = await this.#encode(request);
    if (!encoded) {
      request.reject(signal.reason);
      return;
    }
    const place = decoder.add(encoded);
    const { languages, noSpeechProbability } = await listenForLanguages(
      this.#network,
      place,
      job,
      request.heard,
    );
    if (languages.length > 1) {
      decoder.remove(place);
      request.resolve({ languages });
      return;
    }
    const audioSeconds = job.audio.length / pcmSampleRate;
    const [seed, firstTemperature] = [job.audio.length, job.temperature];
    this.#active.push({
      ...request,
      language: languages[0]!.language,
      noSpeechProbability,
      decoding: new WindowDecoding({
        vocabulary,
        rules,
        audioSeconds,
        noSpeechProbability,
        seed,
        firstTemperature,
        mayRetry: job.mayRetry,
      }),
      nextToken: 0,
    });
    await this.#open(place, job.draft);
  }

  #heardOf({ audio, context }: WindowJob): ContextFrames {
    const short = this.#network.adapted && context === 'short';
    return short ? shortContext(audio.length / pcmSampleRate) : fullContext;
  }

  async #encode({ job, heard, signal }: Request): Promise<EncodedWindow | undefined> {
    const { encoder, logMel } = this.#network;
    const goOn = async () => {
      await this.#workAbove(job.urgency);
      await setImmediate();
      return !signal.aborted;
    };
    this.#encoding++;
    try {
      return await encoder.encode(contextFeatures(logMel, job.audio, heard), heard, goOn);
    } finally {
      this.#encoding--;
    }
  }

  async #open(place: number, draft: readonly number[] = []): Promise<void> {
    const { decoder, vocabulary, vocabularySize } = this.#network;
    const active = this.#active[place]!;
    const { job, language } = active;
    decoder.restart(place);
    const opening = [...this.#opening(job), vocabulary.languages[language], vocabulary.transcribe];
    const rows = await decoder.prompt(place, [...opening, ...draft], draft.length + 1);
    for (let row = 0; row <= draft.length; row++) {
      const answer = active.decoding.accept(rows.subarray(row * vocabularySize, (row + 1) * vocabularySize));
      if ('next' in answer && answer.next === draft[row]) continue;
      decoder.truncate(place, opening.length + row);
      await this.#follow(place, answer);
      return;
    }
  }

  #opening({ promptTokens }: WindowJob): number[] {
    const { startOfPrevious, startOfTranscript } = this.#network.vocabulary;
    return promptTokens.length > 0
      ? [startOfPrevious, ...promptTokens, startOfTranscript]
      : [startOfTranscript];
  }

  async #step(): Promise<void> {
    this.#stepsSinceBegin++;
    const urgency = highest(this.#active);
    const first = this.#active.filter(({ job }) => job.urgency === urgency);
    if (first.length < this.#active.length) await this.#stepAlone(first);
    else await this.#stepAll();
  }

  /** Windows that somebody waits for do not carry the others along: a step of one takes a third of the time. */
  async #stepAlone(urgent: Active[]): Promise<void> {
    for (const active of urgent) {
      const place = this.#active.indexOf(active);
      await this.#take(place, await this.#network.decoder.prompt(place, [active.nextToken]));
    }
  }

  async #stepAll(): Promise<void> {
    const { decoder, vocabularySize } = this.#network;
    const rows = await decoder.step(this.#active.map((active) => active.nextToken));
    // From the last place down: a window that leaves moves only those behind it.
    for (let place = this.#active.length - 1; place >= 0; place--) {
      await this.#take(place, rows.subarray(place * vocabularySize, (place + 1) * vocabularySize));
    }
  }

  async #take(place: number, row: Float32Array): Promise<void> {
    await this.#follow(place, this.#active[place]!.decoding.accept(row));
  }

  async #follow(place: number, answer: DecodingAnswer): Promise<void> {
    const active = this.#active[place]!;
    if ('next' in answer) {
      active.nextToken = answer.next;
    } else if ('restart' in answer) {
      active.again = true;
      if (active.heard === fullContext) await this.#open(place);
      else this.#beginAgain(place);
    } else {
      await this.#finish(place, answer.done);
    }
  }

  /** Before a warmer try comes one with the whole context. */
  #beginAgain(place: number): void {
    const { job, signal, resolve, reject } = this.#active[place]!;
    this.#leave(place);
    this.#waiting.unshift({ job, heard: fullContext, again: true, signal, resolve, reject });
  }

  async #finish(place: number, attempt: Attempt): Promise<void> {
    const active = this.#active[place]!;
    const recognised = await recognisedWindow(this.#network, place, active, attempt);
    this.#leave(place);
    active.resolve({ recognised });
  }

  #leave(place: number): void {
    this.#network.decoder.remove(place);
    const last = this.#active.pop()!;
    if (place < this.#active.length) this.#active[place] = last;
  }

  /** A graph that fails leaves the caches in doubt: every window in them fails. */
  #fail(error: unknown, request: Request | undefined): void {
    request?.reject(error);
    while (this.#network.decoder.count > 0) this.#network.decoder.remove(this.#network.decoder.count - 1);
    for (const { reject } of this.#active.splice(0)) reject(error);
  }
}
