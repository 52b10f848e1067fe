import type { ServiceView } from '../../../wire/console.ts';
import type { Metrics } from '../../operations/metrics.ts';
import type { RecogniserLoad } from '../../speech/recogniser.ts';
import type { OpenStreams } from '../realtime/open-streams.ts';

export type ServiceFigures = {
  /** The same metrics, which also feed these figures. */
  fedBy(metrics: Metrics): Metrics;
  read(): ServiceView;
};

type Options = {
  load(): RecogniserLoad;
  streams: Pick<OpenStreams, 'count'>;
  clock?: { now(): number };
};

const hourMs = 3_600_000;
/** The newest entries are kept. When there are more in an hour, the oldest are forgotten earlier. */
const maxKept = 10_000;

export function createServiceFigures({ load, streams, clock = Date }: Options): ServiceFigures {
  const startedAt = new Date(clock.now()).toISOString();
  const errors: { code: string; at: number }[] = [];
  const transcriptions: { audioSeconds: number; seconds: number; at: number }[] = [];
  const recent = <Entry extends { at: number }>(entries: Entry[]): Entry[] => {
    const since = clock.now() - hourMs;
    const first = entries.findIndex(({ at }) => at > since);
    entries.splice(0, first === -1 ? entries.length : first);
    return entries;
  };
  const keep = <Entry>(entries: Entry[], entry: Entry): void => {
    if (entries.push(entry) > maxKept) entries.splice(0, maxKept / 10);
  };

  return {
    fedBy: (metrics) => ({
      ...metrics,
      refused(code) {
        keep(errors, { code, at: clock.now() });
        metrics.refused(code);
      },
      transcribed(transcription) {
        keep(transcriptions, { ...transcription, at: clock.now() });
        metrics.transcribed(transcription);
      },
    }),
    read() {
      const done = recent(transcriptions);
      const audioSeconds = done.reduce((sum, entry) => sum + entry.audioSeconds, 0);
      const workSeconds = done.reduce((sum, entry) => sum + entry.seconds, 0);
      return {
        ...load(),
        startedAt,
        serviceMemoryBytes: process.memoryUsage.rss(),
        openStreams: streams.count,
        transcriptions: done.length,
        audioSeconds,
        realTimeFactor: audioSeconds > 0 ? workSeconds / audioSeconds : null,
        errors: countErrors(recent(errors)),
      };
    },
  };
}

function countErrors(errors: readonly { code: string; at: number }[]): ServiceView['errors'] {
  const counted = new Map<string, { count: number; at: number }>();
  for (const { code, at } of errors) counted.set(code, { count: (counted.get(code)?.count ?? 0) + 1, at });
  return [...counted]
    .map(([code, { count, at }]) => ({ code, count, lastAt: new Date(at).toISOString() }))
    .sort((a, b) => b.count - a.count);
}
