import type { StreamOptions } from '../../../wire/option-types.ts';
import type { SessionEvent } from '../../../wire/stream-events.ts';
import type { Session } from '../../sessions/session.ts';

/** Measures a session from outside, for the log and the metrics. */
type StreamFigures = {
  /** Returns a session that behaves the same and is measured. */
  measure(session: Session, config: StreamOptions): Session;
  readonly audioSeconds: number;
  readonly billedSeconds: number;
};

/** How many arrivals of audio are kept, at least. A final that comes later than that is not measured. */
const keptArrivals = 3000;

/** `onFinal` gets the time from the end of the speaker's pause to the final. */
export function createStreamFigures({ onFinal }: { onFinal(seconds: number): void }): StreamFigures {
  let ended = { audioSeconds: 0, billedSeconds: 0 };
  return {
    get audioSeconds() {
      return ended.audioSeconds;
    },
    get billedSeconds() {
      return ended.billedSeconds;
    },
    measure(session, config) {
      const arrivals = createArrivals(config);
      const note = (event: SessionEvent) => {
        if (event.type === 'session.end') {
          ended = { audioSeconds: event.audio_seconds, billedSeconds: event.billed_seconds };
        } else if (event.type === 'transcript' && event.speech_final && !event.from_finalize) {
          const arrivedAt = arrivals.timeOf(event.end + config.endpointingMs / 1000);
          if (arrivedAt !== undefined) onFinal(Math.max(0, performance.now() - arrivedAt) / 1000);
        }
      };
      return {
        ...session,
        receiveAudio(bytes) {
          arrivals.add(bytes.length);
          session.receiveAudio(bytes);
        },
        get bufferedSeconds() {
          return session.bufferedSeconds;
        },
        get waiting() {
          return session.waiting;
        },
        async *events() {
          for await (const event of session.events()) {
            note(event);
            yield event;
          }
        },
      };
    },
  };
}

/** Remembers when each second of the audio arrived. For FLAC this is not known, because it would have to be decoded. */
function createArrivals({ encoding, sampleRate }: StreamOptions) {
  const bytesPerSecond = { LINEAR16: sampleRate * 2, MULAW: sampleRate, FLAC: 0 }[encoding];
  const arrivals: { seconds: number; at: number }[] = [];
  let bytes = 0;
  return {
    add(length: number): void {
      if (bytesPerSecond === 0) return;
      bytes += length;
      arrivals.push({ seconds: bytes / bytesPerSecond, at: performance.now() });
      if (arrivals.length > 2 * keptArrivals) arrivals.splice(0, keptArrivals);
    },
    timeOf: (seconds: number) => arrivals.find((arrival) => arrival.seconds >= seconds)?.at,
  };
}
