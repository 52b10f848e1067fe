import type { StreamOptions } from '../../wire/option-types.ts';
import type { EndReason, SessionEvent, WarningCode } from '../../wire/stream-events.ts';
import { BadAudio } from '../audio/bad-audio.ts';
import { decodingHere, type StreamDecoding } from '../audio/stream-decoding.ts';
import { endingError, endings } from '../errors/endings.ts';
import { hasCode, ServiceError } from '../errors/service-error.ts';
import type { StreamRecogniser } from '../speech/live/stream-recogniser.ts';
import type { SpeakerTracker } from '../speech/speakers/speaker-tracker.ts';
import { createAudioBacklog } from './audio-backlog.ts';
import { beginEvent } from './begin-event.ts';
import { createEventQueue } from './event-queue.ts';
import { createFrameDecoder } from './frame-decoder.ts';
import { createInputQueue } from './input-queue.ts';
import { recogniseInputs } from './recognise-inputs.ts';
import { roundedSeconds } from './rounded-seconds.ts';
import { createSessionBilling, type StreamAccount } from './session-billing.ts';
import type { SessionClose } from './session-close.ts';
import { createSessionEnding } from './session-ending.ts';
import { defaultSessionLimits, type SessionLimits } from './session-limits.ts';
import { startSessionTimers } from './session-timers.ts';
import { createSessionTranscript } from './session-transcript.ts';

export type SessionOptions = {
  id: string;
  config: StreamOptions;
  recogniser: StreamRecogniser;
  /** Where audio is decoded, if not on this thread. */
  decoding?: StreamDecoding;
  account: StreamAccount;
  /** Aborts when the key is gone, or may not do this any more. */
  revoked?: AbortSignal;
  limits?: SessionLimits;
  /** Present when speakers are to be told apart. */
  speakers?: SpeakerTracker;
  /** Called when something went wrong inside the service, for the log and the figures. Clients are told in events. */
  onFault(fault: SessionFault, error: unknown): void;
};

/** `speakers`: a final was written without its speaker. The others end the stream. */
export type SessionFault = 'speakers' | 'recognition' | 'billing';

export type Session = {
  /** Binary frame from the client. Never throws: bad audio ends the session. An empty frame means close. */
  receiveAudio(bytes: Uint8Array): void;
  keepAlive(): void;
  /** Everything said so far is made final now. A flood of such requests gets one answer. */
  finalize(): void;
  /** The client has sent everything: finals for what is left, then the end. */
  close(): void;
  /** A sentence for the client, from outside. */
  warn(code: WarningCode, message: string): void;
  /**
   * Ends the stream for a reason from outside: drained, key gone, connection lost, bad message, frame too large… The client
   * is told, and what was used is charged. Reasons that are graceful still give the finals of what came.
   */
  end(reason: EndReason, error?: ServiceError): void;
  /** Seconds received and not yet recognised: the transport stops reading above a mark and goes on below it. */
  readonly bufferedSeconds: number;
  /** Inputs that are not worked on yet, and events that nobody has read yet. The transport stops reading when they are many. */
  readonly waiting: number;
  /** For a client whose audio comes in a container: its samples, which the session then takes in as LINEAR16. */
  readonly decodeContainer: StreamDecoding['decodeContainer'];
  /** Everything that the client shall read, up to session.end. A partial is dropped when a newer one has come, a final never. */
  events(): AsyncIterable<SessionEvent>;
  /** Resolves once everything is settled and released; never rejects. */
  readonly closed: Promise<SessionClose>;
};

/** Above this, the client is not to blame for being silent. */
const busySeconds = 1;

/** One stream from its first frame to its end: frames come in, events go out, and every second is paid for. It knows no sockets. */
export function createSession(options: SessionOptions): Session {
  const { id, config, recogniser, revoked, limits = defaultSessionLimits, speakers, onFault } = options;
  const { decoding = decodingHere } = options;
  const outgoing = createEventQueue();
  const incoming = createInputQueue();
  const decoder = createFrameDecoder(config.encoding, config.sampleRate, decoding.openFlac);
  const transcript = createSessionTranscript({
    words: config.words,
    speakers,
    emit: outgoing.push,
    onSpeakerFault: (error) => onFault('speakers', error),
  });
  const billing = createSessionBilling({
    account: options.account,
    stepSeconds: limits.billingStepSeconds,
    creditSeconds: limits.creditSeconds,
    onQuotaEndsSoon: () => warn('quota_ends_soon', 'Only seconds are left of this month’s minutes.'),
  });
  const ending = createSessionEnding({
    onEnding(reason) {
      if (reason === 'draining') warn('draining', 'The service is restarting. Connect again to go on.');
      stopReceiving();
      if (isStopped()) void stream.abort().catch(() => {});
    },
  });
  const isStopped = () => ending.phase === 'stopped';
  const stream = recogniser.open({
    ...config,
    requestId: id,
    onEvent: (event) => {
      if (!isStopped()) transcript.receive(event);
    },
  });
  const backlog = createAudioBacklog({
    limits,
    doneSeconds: () => stream.doneSeconds,
    onAhead: () =>
      warn('audio_ahead_of_real_time', 'Audio comes much quicker than it is spoken. Send it more slowly.'),
    onTooFarAhead: () => ending.request('audio_too_far_ahead'),
  });
  const timers = startSessionTimers({
    limits,
    isBusy: () => backlog.seconds > busySeconds,
    onIdleSoon: () =>
      warn('idle', 'No audio has come for a while. Send a keepalive, or the stream will be closed.'),
    onIdle: () => ending.request('idle'),
    onTooLongSoon: () => warn('session_ends_soon', 'The stream will soon reach its greatest length.'),
    onTooLong: () => ending.request('session_too_long'),
  });
  const onRevoked = () => ending.request('key_revoked', refusalOf(revoked!));
  outgoing.push(beginEvent(id, config, limits));
  const closed = run();
  if (revoked?.aborted) onRevoked();
  else revoked?.addEventListener('abort', onRevoked, { once: true });

  return {
    receiveAudio(bytes) {
      if (ending.phase !== 'open') return;
      if (bytes.length === 0) {
        ending.request('closed_by_client');
        return;
      }
      timers.active();
      incoming.addAudio(bytes);
      backlog.add(decoder.secondsOf(bytes.length));
    },
    keepAlive: timers.active,
    finalize() {
      timers.active();
      incoming.addFinalize();
    },
    close: () => ending.request('closed_by_client'),
    warn,
    end: ending.request,
    get bufferedSeconds() {
      return backlog.seconds;
    },
    get waiting() {
      return incoming.size + outgoing.size;
    },
    decodeContainer: decoding.decodeContainer,
    events: outgoing.events,
    closed,
  };

  function warn(code: WarningCode, message: string): void {
    outgoing.push({ type: 'warning', code, message });
  }

  function stopReceiving(): void {
    timers.stop();
    incoming.end();
  }

  async function run(): Promise<SessionClose> {
    // Work begins when the caller has the session.
    await Promise.resolve();
    try {
      await recogniseInputs({ incoming, decoder, backlog, billing, stream, transcript, isStopped });
    } catch (error) {
      endForFault(error);
    }
    // After bad audio or the end of a quota, what was recognised before is still made final.
    if (!isStopped()) await stream.finalize().catch(endForFault);
    await release();
    return writeEnd();
  }

  function endForFault(error: unknown): void {
    if (hasCode(error, 'quota_exceeded')) ending.fault('quota_exceeded', error);
    else if (error instanceof BadAudio) ending.fault('bad_audio', unreadableAudio(error));
    else if (error instanceof ServiceError && error.status === 503) ending.fault('overloaded', error);
    else {
      if (!isStopped()) onFault('recognition', error);
      ending.fault('internal_error');
    }
  }

  /** Whatever the stream held is given back, and what it used is charged. */
  async function release(): Promise<void> {
    stopReceiving();
    revoked?.removeEventListener('abort', onRevoked);
    await transcript.settled();
    ending.stop();
    await stream.abort().catch(() => {});
    decoder.free();
    try {
      await billing.settle();
    } catch (error) {
      onFault('billing', error);
      ending.fail();
    }
  }

  function writeEnd(): SessionClose {
    const { reason, error } = ending.why;
    const told = endingError(reason, error);
    if (told) outgoing.push({ type: 'error', error: told });
    outgoing.push({
      type: 'session.end',
      reason,
      audio_seconds: roundedSeconds(billing.paidSeconds),
      billed_seconds: roundedSeconds(billing.billedSeconds),
      ...(speakers && { num_speakers: speakers.speakers }),
    });
    outgoing.end();
    return { code: endings[reason].closeCode, reason };
  }
}

/** Why the key may not go on, unless it is simply gone. */
export function refusalOf({ reason }: AbortSignal): ServiceError | undefined {
  return reason instanceof ServiceError && reason.code !== 'invalid_api_key' ? reason : undefined;
}

function unreadableAudio({ message }: BadAudio): ServiceError {
  return new ServiceError('invalid_value', { param: 'encoding', message });
}
