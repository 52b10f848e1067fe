import type { ServiceError } from '../errors.ts';
import type { LanguageSetting } from '../speech/segment.ts';
import type { StreamRecogniser } from '../speech/stream-recogniser.ts';
import type { EndReason, SessionClose, SessionEvent, StreamEncoding } from './session-events.ts';
import type { SessionLimits } from './session-limits.ts';
import type { SpeakerTracker } from './speaker-tracker.ts';

export type SessionConfig = {
  language: LanguageSetting;
  encoding: StreamEncoding;
  sampleRate: number;
  interimResults: boolean;
  endpointingMs: number;
  words: boolean;
  hotwords: string[];
  speakerDiarization: boolean;
};

/** Who pays for the audio: a `Lease` is one. */
export type StreamAccount = {
  /** Makes sure that at least so much is reserved; throws quota_exceeded. */
  reserve(totalSeconds: number): Promise<void>;
  /** Charges what was used so far and leaves the rest reserved. */
  settleSoFar(totalSeconds: number): Promise<void>;
  /** Charges what was used in all, once and for all. */
  settle(totalSeconds: number): Promise<void>;
};

export type SessionOptions = {
  id: string;
  config: SessionConfig;
  recogniser: StreamRecogniser;
  account: StreamAccount;
  /** Aborts when the key is gone. */
  revoked?: AbortSignal;
  limits?: SessionLimits;
  /** Present when speakers are to be told apart. */
  speakers?: SpeakerTracker;
};

export type Session = {
  /** Binary frame from the client. Never throws: bad audio ends the session. An empty frame means close. */
  receiveAudio(bytes: Uint8Array): void;
  keepAlive(): void;
  /** Everything said so far is made final now. */
  finalize(): void;
  /** The client has sent everything: finals for what is left, then the end. */
  close(): void;
  /** A sentence for the client, from outside. */
  warn(code: Extract<SessionEvent, { type: 'warning' }>['code'], message: string): void;
  /**
   * From outside: drained, key gone, connection lost, bad message, frame too large… Says the error event where one belongs,
   * stops work, settles. `draining` still gives the finals of what came.
   */
  end(reason: EndReason, error?: ServiceError): void;
  /** Seconds received and not yet heard by the recogniser: the transport stops reading above a mark and goes on below it. */
  readonly bufferedSeconds: number;
  /** Everything the client shall read, in order; ends after session.end. Partials that were overtaken are dropped, finals never. */
  events(): AsyncIterable<SessionEvent>;
  /** Resolves once everything is settled and released; never rejects. */
  readonly closed: Promise<SessionClose>;
};
