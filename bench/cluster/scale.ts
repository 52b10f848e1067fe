import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { atLeast, type Explain, type Figure } from '../figures/figure.ts';
import { joinSentences } from '../long-recording.ts';
import { createClient } from '../service/client.ts';
import { createRepeatedSpeech, toWave } from '../service/clips.ts';
import { readSpeechSets, speechFolder } from '../speech-sets.ts';
import { startCluster } from './cluster.ts';

export type ScaleOptions = {
  env: Record<string, string>;
  levels: number[];
  seconds: number;
  explain: Explain;
};

/** One long file on ever more worker processes of one thread each. */
export async function measureScale({ env, levels, seconds, explain }: ScaleOptions): Promise<Figure[]> {
  const cores = availableParallelism();
  const wave = await toWave(await longSpeech(seconds));
  const oneThread = { SIANN_PROCESSES: '1', SIANN_THREADS: '1' };
  await using cluster = await startCluster({ apis: 1, workers: 1, env: { ...env, ...oneThread } });
  const [key] = await cluster.folder.createKeys(1, 'enterprise');
  const target = { port: cluster.apis[0]!.port, ca: cluster.ca };
  const warmUp = await toWave(await createRepeatedSpeech(20));
  const figures: Figure[] = [];
  let alone: number | undefined;
  for (const count of levels) {
    if (count > cores) {
      explain(`${count} workers: this machine has ${cores} cores`);
      continue;
    }
    while (cluster.workers.length < count) await cluster.addWorker();
    using client = createClient(target);
    for (let run = 0; run < count; run++) await transcribed(warmUp);
    const startedAt = performance.now();
    await transcribed(wave);
    const took = (performance.now() - startedAt) / 1000;
    alone ??= took * count;
    const share = alone / (took * count);
    figures.push({
      id: `scale/${count}`,
      what: `share of linear, a file of ${Math.round(seconds / 60)} min, workers of one thread`,
      ...atLeast(90, share * 100),
      unit: '%',
      note: `${took.toFixed(1)} s`,
      series: workersOf(count),
      at: count,
    });

    async function transcribed(file: Uint8Array): Promise<void> {
      const { status, body } = await client.transcribe(file, key!.key);
      if (status !== 200) throw new Error(body);
    }
  }
  return figures;
}

/** The column of so many workers. */
export function workersOf(count: number): string {
  return count === 1 ? 'one worker' : `${count} workers`;
}

/** Recorded sentences where they are, the project's own recordings otherwise. */
async function longSpeech(seconds: number): Promise<Float32Array> {
  const folder = speechFolder(process.env);
  if (!existsSync(folder)) return createRepeatedSpeech(seconds);
  return (await joinSentences(await readSpeechSets(folder, ['mandarin', 'english']), seconds)).samples;
}
