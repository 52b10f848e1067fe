import type { StreamOptions } from '../../wire/option-types.ts';
import type { EndReason, SessionEvent, WarningCode } from '../../wire/stream-events.ts';
import { createAsyncQueue } from '../async/async-queue.ts';
import { BadAudio } from '../audio/bad-audio.ts';
import { type Pcm, pcmSampleRate } from '../audio/pcm.ts';
import { endingError, endings } from '../errors/endings.ts';
import { hasCode, ServiceError } from '../errors/service-error.ts';
import { echoOptions } from '../options/read-options.ts';
import type { StreamRecogniser } from '../speech/live/stream-recogniser.ts';
import type { SpeakerTracker } from '../speech/speakers/speaker-tracker.ts';
import { createEventQueue } from './event-queue.ts';
import { createFrameDecoder } from './frame-decoder.ts';
import { createSessionBilling, type StreamAccount } from './session-billing.ts';
import type { SessionClose } from './session-close.ts';
import { defaultSessionLimits, type SessionLimits } from './session-limits.ts';
import { startSessionTimers } from './session-timers.ts';
import { createSessionTranscript } from './session-transcript.ts';

export type SessionOptions = {
  id: string;
  config: StreamOptions;
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
  warn(code: WarningCode, message: string): void;
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

type Input = { type: 'audio'; bytes: Uint8Array } | { type: 'finalize' };

/** Above this, the client is not to blame for being silent. */
const busySeconds = 1;

/** One stream from its first frame to its end: frames in, events out, every second paid for; knows nothing of sockets. */
export function createSession(options: SessionOptions): Session {
  const { id, config, recogniser, revoked, limits = defaultSessionLimits, speakers } = options;
  const queue = createEventQueue();
  const decoder = createFrameDecoder(config.encoding, config.sampleRate);
  const input = createAsyncQueue<Input>();
  const transcript = createSessionTranscript({ words: config.words, speakers, say: queue.push });
  const billing = createSessionBilling({
    account: options.account,
    stepSeconds: limits.billingStepSeconds,
    creditSeconds: limits.creditSeconds,
    onQuotaEndsSoon: () => warn('quota_ends_soon', 'Only seconds are left of this month’s minutes.'),
  });
  const stream = recogniser.open({
    ...config,
    requestId: id,
    onEvent: (heard) => {
      if (!stopped) transcript.hear(heard);
    },
  });
  let ending: { reason: EndReason; error: ServiceError | undefined } | undefined;
  let stopped = false;
  let firstAudioAt: number | undefined;
  let receivedSeconds = 0;
  /** Received and not yet decoded, by the decoder's estimate. */
  let undecodedSeconds = 0;
  let warnedAhead = false;

  const timers = startSessionTimers({
    limits,
    isBusy: () => bufferedSeconds() > busySeconds,
    onIdleSoon: () =>
      warn('idle', 'No audio has come for a while. Send a keepalive, or the stream will be closed.'),
    onIdle: () => end('idle'),
    onTooLongSoon: () => warn('session_ends_soon', 'The stream will soon reach its greatest length.'),
    onTooLong: () => end('session_too_long'),
  });
  const onRevoked = () => end('key_revoked');
  queue.push(beginning(id, config, limits));
  const closed = work();
  if (revoked?.aborted) onRevoked();
  else revoked?.addEventListener('abort', onRevoked, { once: true });

  return {
    receiveAudio(bytes) {
      if (ending) return;
      if (bytes.length === 0) {
        end('closed_by_client');
        return;
      }
      timers.active();
      firstAudioAt ??= performance.now();
      undecodedSeconds += decoder.secondsOf(bytes.length);
      input.push({ type: 'audio', bytes: bytes.slice() });
      checkAhead();
    },
    keepAlive: () => timers.active(),
    finalize() {
      timers.active();
      input.push({ type: 'finalize' });
    },
    close: () => end('closed_by_client'),
    warn,
    end,
    get bufferedSeconds() {
      return bufferedSeconds();
    },
    events: () => queue.events(),
    closed,
  };

  function warn(code: WarningCode, message: string): void {
    queue.push({ type: 'warning', code, message });
  }

  /** The first reason counts; one that leaves no time for finals ends a stream that is still at its own. */
  function end(reason: EndReason, error?: ServiceError): void {
    const { graceful } = endings[reason];
    if (stopped || (ending && graceful)) return;
    if (reason === 'draining') warn('draining', 'The service is restarting. Connect again to go on.');
    conclude(reason, error);
  }

  function conclude(reason: EndReason, error: ServiceError | undefined): void {
    ending = { reason, error };
    timers.stop();
    input.end();
    if (endings[reason].graceful) return;
    stopped = true;
    void stream.abort();
  }

  function bufferedSeconds(): number {
    return Math.max(0, receivedSeconds + undecodedSeconds - stream.doneSeconds);
  }

  /** Only audio that comes quicker than it is spoken counts: a slow recogniser is not the client's fault. */
  function checkAhead(): void {
    const elapsed = (performance.now() - firstAudioAt!) / 1000;
    const ahead = Math.min(bufferedSeconds(), receivedSeconds + undecodedSeconds - elapsed);
    if (ahead > limits.maxBufferedSeconds) end('audio_too_far_ahead');
    else if (ahead > limits.warnBufferedSeconds && !warnedAhead) {
      warnedAhead = true;
      warn('audio_ahead_of_real_time', 'Audio comes much quicker than it is spoken. Send it more slowly.');
    } else if (ahead < limits.warnBufferedSeconds / 2) warnedAhead = false;
  }

  async function work(): Promise<SessionClose> {
    // Nothing happens before the caller has the session in hand.
    await Promise.resolve();
    try {
      for await (const item of input.items()) {
        if (stopped) break;
        if (item.type === 'finalize') await finalize();
        else await hear(item.bytes);
      }
      if (!stopped) await take(await decoder.end());
    } catch (error) {
      blame(error);
    }
    // After bad audio or the end of a quota, what was heard before is still written.
    if (!stopped) await stream.finalize().catch(blame);
    return finish();
  }

  /** What goes wrong counts for more than that the client has closed meanwhile. */
  function blame(error: unknown): void {
    if (stopped) return;
    if (hasCode(error, 'quota_exceeded')) conclude('quota_exceeded', error);
    else if (error instanceof BadAudio)
      conclude('bad_audio', new ServiceError('invalid_value', { param: 'encoding', message: error.message }));
    else if (error instanceof ServiceError && error.status === 503) conclude('overloaded', error);
    else conclude('internal_error', undefined);
  }

  async function hear(bytes: Uint8Array): Promise<void> {
    const audio = await decoder.push(bytes);
    undecodedSeconds -= decoder.secondsOf(bytes.length);
    await take(audio);
  }

  async function take(audio: Pcm): Promise<void> {
    const seconds = audio.length / pcmSampleRate;
    if (seconds === 0) return;
    receivedSeconds += seconds;
    await billing.pay(seconds);
    await stream.push(audio);
  }

  async function finalize(): Promise<void> {
    const before = transcript.finalized;
    await stream.finalize();
    await transcript.settled();
    if (!stopped && transcript.finalized === before) transcript.answerFinalize(billing.paidSeconds);
  }

  async function finish(): Promise<SessionClose> {
    timers.stop();
    input.end();
    revoked?.removeEventListener('abort', onRevoked);
    await transcript.settled();
    stopped = true;
    await stream.abort().catch(() => {});
    decoder.free();
    await billing.settle().catch(() => {
      ending = { reason: 'internal_error', error: undefined };
    });
    const { reason, error } = ending ?? { reason: 'internal_error', error: undefined };
    const said = endingError(reason, error);
    if (said) queue.push({ type: 'error', error: said });
    queue.push({
      type: 'session.end',
      reason,
      audio_seconds: rounded(billing.paidSeconds),
      billed_seconds: rounded(billing.billedSeconds),
      ...(speakers && { num_speakers: speakers.speakers }),
    });
    queue.end();
    return { code: endings[reason].closeCode, reason, ...(error && { errorCode: error.code }) };
  }
}

function beginning(id: string, config: StreamOptions, limits: SessionLimits): SessionEvent {
  return {
    type: 'session.begin',
    session_id: id,
    expires_at: new Date(Date.now() + limits.maxSessionSeconds * 1000).toISOString(),
    config: echoOptions(config),
    limits: {
      max_frame_bytes: limits.maxFrameBytes,
      max_buffered_seconds: limits.maxBufferedSeconds,
      idle_seconds: limits.idleSeconds,
      max_session_seconds: limits.maxSessionSeconds,
    },
  };
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
