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
  /** `sk_live_…` or `sk_test_…`. It must be a key of the environment that `baseUrl` belongs to. */
  apiKey: string;
  /** If it is given, it must be the project of the key. */
  projectId?: string;
  /** It ends in /v1. The default is the live environment of a service on this machine. */
  baseUrl?: string;
  /** How often a request, or the first connection of a stream, is tried again after a failure that may pass. The default is 2. */
  maxRetries?: number;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  fetch?: typeof fetch;
  /** For live captions. The default is the package `ws` in Node.js, and the browser's own elsewhere. */
  WebSocket?: WebSocketConstructor;
  /** Gets a one-use token for live captions, for a page that has no key. */
  realtimeToken?: () => Promise<string>;
};

/** The client of a speech-to-text service. Make one for each key. */
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
      // Browsers require that `fetch` is not called as a method of another object.
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

  /** Days are in UTC, as YYYY-MM-DD, and both are included. The default is this month. */
  async usage(range: { from?: string; to?: string; signal?: AbortSignal } = {}): Promise<Usage> {
    const { signal, ...days } = range;
    const query = new URLSearchParams(days).toString();
    return (await this.#send(`/usage${query && `?${query}`}`, { signal })).json() as Promise<Usage>;
  }
}
