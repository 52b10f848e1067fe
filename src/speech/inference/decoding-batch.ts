import assert from 'node:assert/strict';
import { pcmSampleRate } from '../../audio/pcm.ts';
import type { SpokenLanguage } from '../transcript/languages.ts';
import { mostUrgent } from '../windows/window-urgency.ts';
import { type Attempt, type DecodingAnswer, WindowDecoding } from './decoding/window-decoding.ts';
import { fullContext } from './features/context-frames.ts';
import { detectLanguages } from './languages/detect-languages.ts';
import type { EncodedWindow } from './network/whisper-encoder.ts';
import type { WhisperNetwork } from './network/whisper-network.ts';
import { recognisedWindow } from './recognised-window.ts';
import type { WindowRequest } from './window-request.ts';

type DecodedWindow = WindowRequest & {
  language: SpokenLanguage;
  noSpeechProbability: number;
  decoding: WindowDecoding;
  nextToken: number;
};

/**
 * The windows that are being decoded, token by token. Calls must not overlap: each one runs a graph on the same caches.
 *
 * Window i of the batch is row i of the decoder. When a window leaves, the decoder moves its last row into the freed one, and the
 * batch does the same with its windows.
 */
export class DecodingBatch {
  readonly #network: WhisperNetwork;
  readonly #encodeAgain: (request: WindowRequest) => void;
  readonly #windows: DecodedWindow[] = [];

  /** `encodeAgain` is called with a window that leaves the batch because it needs the full context. */
  constructor(network: WhisperNetwork, encodeAgain: (request: WindowRequest) => void) {
    this.#network = network;
    this.#encodeAgain = encodeAgain;
  }

  get windows(): readonly WindowRequest[] {
    return this.#windows;
  }

  /** Detects the languages of a window, and begins to decode it where there is only one. */
  async add(request: WindowRequest, encoded: EncodedWindow): Promise<void> {
    const { decoder, vocabulary, rules } = this.#network;
    const { job, context } = request;
    const row = decoder.add(encoded);
    assert.equal(
      row,
      this.#windows.length,
      'the decoder has another number of rows than the batch has windows',
    );
    const { languages, noSpeechProbability } = await detectLanguages(this.#network, row, job, context);
    if (languages.length > 1) {
      decoder.remove(row);
      request.resolve({ languages });
      return;
    }
    const decoding = new WindowDecoding({
      vocabulary,
      rules,
      audioSeconds: job.audio.length / pcmSampleRate,
      noSpeechProbability,
      seed: job.audio.length,
      firstTemperature: job.temperature,
      mayRetry: job.mayRetry,
    });
    const { language } = languages[0]!;
    this.#windows.push({ ...request, language, noSpeechProbability, decoding, nextToken: 0 });
    await this.#open(row, job.draft);
  }

  /** The next token of the most urgent windows. They do not carry the others along: a step of one takes a third of the time of all. */
  async step(): Promise<void> {
    const urgency = mostUrgent(this.#windows.map(({ job }) => job.urgency));
    const urgent = this.#windows.filter(({ job }) => job.urgency === urgency);
    if (urgent.length < this.#windows.length) await this.#stepEach(urgent);
    else await this.#stepAll();
  }

  dropCancelled(): void {
    for (let row = this.#windows.length - 1; row >= 0; row--) {
      const { signal, reject } = this.#windows[row]!;
      if (!signal.aborted) continue;
      this.#remove(row);
      reject(signal.reason);
    }
  }

  /** A graph that failed leaves the caches in doubt: every window in them fails. */
  fail(error: unknown): void {
    const { decoder } = this.#network;
    while (decoder.count > 0) decoder.remove(decoder.count - 1);
    for (const { reject } of this.#windows.splice(0)) reject(error);
  }

  /** Starts a try. The tokens of a draft are run at once, and kept as far as the decoder would have chosen them too. */
  async #open(row: number, draft: readonly number[] = []): Promise<void> {
    const { decoder, vocabulary, vocabularySize } = this.#network;
    const { job, language, decoding } = this.#windows[row]!;
    decoder.restart(row);
    const opening = [
      ...this.#promptOf(job.promptTokens),
      vocabulary.languages[language],
      vocabulary.transcribe,
    ];
    const answers = await decoder.prompt(row, [...opening, ...draft], draft.length + 1);
    for (let kept = 0; kept <= draft.length; kept++) {
      const answer = decoding.accept(answers.subarray(kept * vocabularySize, (kept + 1) * vocabularySize));
      if ('next' in answer && answer.next === draft[kept]) continue;
      decoder.truncate(row, opening.length + kept);
      await this.#follow(row, answer);
      return;
    }
  }

  #promptOf(promptTokens: readonly number[]): number[] {
    const { startOfPrevious, startOfTranscript } = this.#network.vocabulary;
    return promptTokens.length > 0
      ? [startOfPrevious, ...promptTokens, startOfTranscript]
      : [startOfTranscript];
  }

  async #stepEach(windows: DecodedWindow[]): Promise<void> {
    for (const window of windows) {
      const row = this.#windows.indexOf(window);
      const logProbabilities = await this.#network.decoder.prompt(row, [window.nextToken]);
      await this.#follow(row, window.decoding.accept(logProbabilities));
    }
  }

  async #stepAll(): Promise<void> {
    const { decoder, vocabularySize } = this.#network;
    const answers = await decoder.step(this.#windows.map(({ nextToken }) => nextToken));
    // From the last row down: when a window leaves, only a row that was handled before is moved.
    for (let row = this.#windows.length - 1; row >= 0; row--) {
      const logProbabilities = answers.subarray(row * vocabularySize, (row + 1) * vocabularySize);
      await this.#follow(row, this.#windows[row]!.decoding.accept(logProbabilities));
    }
  }

  async #follow(row: number, answer: DecodingAnswer): Promise<void> {
    const window = this.#windows[row]!;
    if ('next' in answer) {
      window.nextToken = answer.next;
    } else if ('restart' in answer) {
      window.isRetry = true;
      if (window.context === fullContext) await this.#open(row);
      else this.#leaveForFullContext(row);
    } else {
      await this.#finish(row, answer.done);
    }
  }

  /** The try after one with a short context has the full context. Only those that follow it have a higher temperature. */
  #leaveForFullContext(row: number): void {
    const { job, signal, resolve, reject } = this.#windows[row]!;
    this.#remove(row);
    this.#encodeAgain({ job, context: fullContext, isRetry: true, signal, resolve, reject });
  }

  async #finish(row: number, attempt: Attempt): Promise<void> {
    const window = this.#windows[row]!;
    const recognised = await recognisedWindow(this.#network, row, window, attempt);
    this.#remove(row);
    window.resolve({ recognised });
  }

  #remove(row: number): void {
    const movedFrom = this.#network.decoder.remove(row);
    const lastRow = this.#windows.length - 1;
    assert.equal(movedFrom, lastRow, 'the decoder moved another row than its last into the freed one');
    const last = this.#windows.pop()!;
    if (row < lastRow) this.#windows[row] = last;
  }
}
