import type { Account, Usage } from '../wire/account.ts';
import type { ListenOptions } from './live-events.ts';
import { type LiveStream, openLiveStream } from './live-stream.ts';
import { createRequester, type SendRequest } from './requests.ts';
import { createSockets, type OpenSocket, type WebSocketConstructor } from './sockets.ts';
import { type AudioFile, type TranscribeOptions, type Transcription, transcribe } from './transcription.ts';

export type { Account, MonthlyUsage, Usage } from '../wire/account.ts';
export { speakerName } from '../wire/speaker-number.ts';
export type { TranscriptEvent } from '../wire/stream-events.ts';
export { toSrt, toVtt } from '../wire/subtitles.ts';
export { SiannError, type UpperCaseName } from './errors.ts';
export type { ListenOptions, LiveEvent } from './live-events.ts';
export type { LiveStream } from './live-stream.ts';
export type {
  AudioFile,
  Language,
  TranscribeOptions,
  Transcript,
  Transcription,
  TranscriptSegment,
} from './transcription.ts';

export type SiannOptions = {
  /** `sk_live_…` or `sk_test_…`, of the environment that the address belongs to. */
  apiKey: string;
  /** Sent along when given; it must be the project of the key. */
  projectId?: string;
  /** Ends in /v1; the live environment of a service on this machine unless told otherwise. */
  baseUrl?: string;
  /** Tries again after failures that may pass, and before a first connection is given up; 2 unless told otherwise. */
  maxRetries?: number;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  fetch?: typeof fetch;
  /** For live captions: `ws` in Node and the browser's own elsewhere, unless told otherwise. */
  WebSocket?: WebSocketConstructor;
  /** Where a page gets its one-use tokens for live captions when it has no key. */
  realtimeToken?: () => Promise<string>;
};

/** Speech to text. One for each key. */
export class Siann {
  readonly #send: SendRequest;
  readonly #openSocket: OpenSocket;
  readonly #maxRetries: number;

  constructor(options: SiannOptions) {
    const baseUrl = (options.baseUrl ?? 'https://localhost:8443/v1').replace(/\/+$/, '');
    const headers = {
      ...options.headers,
      ...(options.apiKey && { authorization: `Bearer ${options.apiKey}` }),
      ...(options.projectId && { 'x-project-id': options.projectId }),
    };
    const { maxRetries = 2 } = options;
    const send = createRequester({
      baseUrl,
      headers,
      maxRetries,
      // Called as a function of the page, which browsers insist on.
      fetch: options.fetch ?? ((...given) => fetch(...given)),
    });
    this.#send = send;
    this.#maxRetries = maxRetries;
    const { WebSocket, realtimeToken: token } = options;
    this.#openSocket = createSockets({ baseUrl, headers, send, WebSocket, token });
  }

  /** Await it for the whole transcript, or iterate over its segments while they are recognised. */
  transcribe(file: AudioFile, options?: TranscribeOptions): Transcription {
    return transcribe(this.#send, file, options);
  }

  /** Live captions: write audio, iterate over events. */
  listen(options: ListenOptions = {}): LiveStream {
    return openLiveStream({ ...options, openSocket: this.#openSocket, maxRetries: this.#maxRetries });
  }

  async account(options: { signal?: AbortSignal } = {}): Promise<Account> {
    return (await this.#send('/account', options)).json() as Promise<Account>;
  }

  /** Days are UTC, as YYYY-MM-DD, both included; this month unless told otherwise. */
  async usage(range: { from?: string; to?: string; signal?: AbortSignal } = {}): Promise<Usage> {
    const { signal, ...days } = range;
    const query = new URLSearchParams(days).toString();
    return (await this.#send(`/usage${query && `?${query}`}`, { signal })).json() as Promise<Usage>;
  }
}
