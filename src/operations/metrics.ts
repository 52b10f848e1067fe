import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { RecogniserLoad } from '../speech/recogniser.ts';

export type Metrics = {
  /** Every label comes from a closed set: route templates, known methods, our own codes. */
  answered(answer: Answer): void;
  refused(code: ErrorCode): void;
  /** A transcription that was answered: how much audio, and how long it took from its first byte. */
  transcribed(transcription: { audioSeconds: number; seconds: number }): void;
  streamOpened(dialect: string): void;
  streamClosed(stream: { dialect: string; closeCode: number; audioSeconds: number }): void;
  /** Something went wrong inside a stream. Kinds are those of `SessionFault`. */
  streamFault(fault: string): void;
  /** The time from the arrival of the end of a speaker's pause to the sending of the final. */
  finalSaid(seconds: number): void;
  leaseOpened(): void;
  leaseClosed(): void;
  /** In Prometheus's text format. */
  read(): Promise<{ contentType: string; body: string }>;
};

type Answer = { environment: string; route: string; method: string; status: number; seconds: number };

export function createMetrics({ load }: { load(): RecogniserLoad }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const requests = new Counter({
    name: 'siann_requests_total',
    help: 'Requests answered; status 499 when the client had gone.',
    labelNames: ['environment', 'route', 'method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'siann_request_duration_seconds',
    help: 'From the headers of a request to the end of its answer.',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300, 1800],
    registers,
  });
  const refusals = new Counter({
    name: 'siann_errors_total',
    help: 'Errors answered, limits among them, by code.',
    labelNames: ['code'],
    registers,
  });
  const audioSeconds = new Counter({
    name: 'siann_audio_seconds_total',
    help: 'Seconds of audio transcribed.',
    registers,
  });
  const realTimeFactor = new Histogram({
    name: 'siann_real_time_factor',
    help: 'Seconds that a transcription took for each second of its audio.',
    buckets: [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 2, 5],
    registers,
  });
  const openStreams = new Gauge({
    name: 'siann_streams_open',
    help: 'Streams that are connected.',
    labelNames: ['dialect'],
    registers,
  });
  const streams = new Counter({
    name: 'siann_streams_total',
    help: 'Streams that have ended, by the code with which they were closed.',
    labelNames: ['dialect', 'code'],
    registers,
  });
  const streamSeconds = new Counter({
    name: 'siann_stream_audio_seconds_total',
    help: 'Seconds of audio that came in streams.',
    registers,
  });
  const streamFaults = new Counter({
    name: 'siann_stream_faults_total',
    help: 'Faults of the service inside streams, by kind; speakers: finals written without their speaker.',
    labelNames: ['fault'],
    registers,
  });
  const finalDelays = new Histogram({
    name: 'siann_stream_final_delay_seconds',
    help: 'From the end of the endpointing time to the final.',
    buckets: [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30],
    registers,
  });
  const leases = new Gauge({
    name: 'siann_leases_open',
    help: 'Requests that have been let in and not ended.',
    registers,
  });
  const gauge = (name: string, help: string, value: (now: RecogniserLoad) => number) =>
    new Gauge({ name, help, registers, collect: collectInto((self: Gauge) => self.set(value(load()))) });
  gauge('siann_inference_processes', 'Inference processes that take work.', (now) => now.processes);
  gauge('siann_busy_slots', 'Windows being recognised.', (now) => now.busySlots);
  gauge('siann_queued_windows', 'Windows waiting to be recognised.', (now) => now.queued);
  gauge('siann_inference_memory_bytes', 'Memory of all inference processes.', (now) => now.rssBytes);
  gauge(
    'siann_decoder_processes',
    'Decoder processes that take work.',
    (now) => now.decoders?.processes ?? 0,
  );
  gauge('siann_decodings', 'Files and streams being decoded.', (now) => now.decoders?.decodings ?? 0);
  gauge(
    'siann_waiting_decodings',
    'Files and streams that wait for a decoder process.',
    (now) => now.decoders?.waiting ?? 0,
  );
  gauge(
    'siann_decoder_memory_bytes',
    'Memory of all decoder processes.',
    (now) => now.decoders?.rssBytes ?? 0,
  );
  /** The load tells how often it was in all; a counter is told how often it was since it was last asked. */
  const counter = (name: string, help: string, value: (now: RecogniserLoad) => number) => {
    let seen = 0;
    const collect = collectInto((self: Counter) => {
      const all = value(load());
      self.inc(all - seen);
      seen = all;
    });
    new Counter({ name, help, registers, collect });
  };
  counter(
    'siann_inference_restarts_total',
    'Inference processes replaced, for whatever reason.',
    (now) => now.restarts,
  );
  counter(
    'siann_decoder_restarts_total',
    'Decoder processes replaced, for whatever reason.',
    (now) => now.decoders?.restarts ?? 0,
  );

  // Finding labels by their values takes longer than counting, so the counter of each combination is kept.
  const counted = new Map<string, { count(): void; observe(seconds: number): void }>();
  const counterOf = ({ environment, route, method, status }: Answer) => {
    const name = `${environment} ${method} ${route} ${status}`;
    let found = counted.get(name);
    if (!found) {
      const request = requests.labels({ environment, route, method, status });
      const duration = durations.labels({ route });
      found = { count: () => request.inc(), observe: (seconds) => duration.observe(seconds) };
      counted.set(name, found);
    }
    return found;
  };

  return {
    answered(answer) {
      const counter = counterOf(answer);
      counter.count();
      counter.observe(answer.seconds);
    },
    refused: (code) => refusals.inc({ code }),
    transcribed(transcription) {
      audioSeconds.inc(transcription.audioSeconds);
      if (transcription.audioSeconds > 0)
        realTimeFactor.observe(transcription.seconds / transcription.audioSeconds);
    },
    streamOpened: (dialect) => openStreams.inc({ dialect }),
    streamClosed({ dialect, closeCode, audioSeconds }) {
      openStreams.dec({ dialect });
      streams.inc({ dialect, code: closeCode });
      streamSeconds.inc(audioSeconds);
    },
    streamFault: (fault) => streamFaults.inc({ fault }),
    finalSaid: (seconds) => finalDelays.observe(seconds),
    leaseOpened: () => leases.inc(),
    leaseClosed: () => leases.dec(),
    read: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}

/** prom-client passes the metric as `this`. */
function collectInto<Metric>(collect: (metric: Metric) => void): (this: Metric) => void {
  return function (this: Metric) {
    collect(this);
  };
}
