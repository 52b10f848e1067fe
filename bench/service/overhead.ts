import { existsSync } from 'node:fs';
import type { Config } from '../../src/config.ts';
import { createRecogniser } from '../../src/main.ts';
import { collectTranscript } from '../../src/speech/collect-transcript.ts';
import { joinSentences } from '../long-recording.ts';
import { median } from '../median.ts';
import type { Explain, Figure } from '../robustness/figure.ts';
import { readSpeechSets, speechFolder } from '../speech-sets.ts';
import { createClient } from './client.ts';
import { createRepeatedSpeech, toWave } from './clips.ts';
import { serve } from './served-process.ts';
import { createServiceFolder } from './service-folder.ts';

export type OverheadOptions = {
  env: Record<string, string>;
  config: Config;
  rounds: number;
  explain: Explain;
};

const seconds = 60;

/** The same file through the recogniser of `siann transcribe` and through the service, both warm, taking turns. */
export async function measureOverhead({ env, config, rounds, explain }: OverheadOptions): Promise<Figure[]> {
  const wave = await toWave(await minuteOfSpeech());
  await using folder = await createServiceFolder();
  const [key] = await folder.createKeys(1, 'professional');
  await using service = await serve({ dataFolder: folder.path, env });
  await using recogniser = await createRecogniser({ config });
  await recogniser.ready();
  using client = createClient({ port: service.ports.live, ca: service.ca });

  const direct = async () => {
    const segments = recogniser.transcribe(inChunks(wave), { language: 'mixed' });
    return (await collectTranscript(segments, 'mixed')).segments.map(({ text }) => text).join('\n');
  };
  const served = async () => {
    const { status, body } = await client.transcribe(wave, key!.key);
    if (status !== 200) throw new Error(body);
    return JSON.parse(body)
      .segments.map(({ text }: { text: string }) => text)
      .join('\n');
  };

  const times: Record<'direct' | 'served', number[]> = { direct: [], served: [] };
  let same = true;
  for (let round = 0; round <= rounds; round++) {
    const one = await timed(direct);
    const other = await timed(served);
    same &&= one.result === other.result;
    explain(`overhead: ${one.seconds.toFixed(2)} s by itself, ${other.seconds.toFixed(2)} s over HTTPS`);
    if (round === 0) continue; // the first of each warms up
    times.direct.push(one.seconds);
    times.served.push(other.seconds);
  }
  const [alone, overHttps] = [median(times.direct)!, median(times.served)!];
  const percent = (overHttps / alone - 1) * 100;
  return [
    {
      title: `${seconds} s file over the service, against siann transcribe (medians of ${rounds})`,
      value: `${percent.toFixed(1)} % more (${overHttps.toFixed(2)} s, ${alone.toFixed(2)} s)`,
      bar: '5 % more',
      passes: percent < 5,
    },
    { title: 'the same: text', value: same ? 'the same' : 'not the same', bar: 'the same', passes: same },
  ];
}

/** Recorded sentences where they are, the project's own recordings otherwise. */
async function minuteOfSpeech(): Promise<Float32Array> {
  const folder = speechFolder(process.env);
  if (!existsSync(folder)) return createRepeatedSpeech(seconds);
  return (await joinSentences(await readSpeechSets(folder, ['mandarin', 'english']), seconds)).samples;
}

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 256 * 1024) yield bytes.subarray(at, at + 256 * 1024);
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; seconds: number }> {
  const started = performance.now();
  return { result: await work(), seconds: (performance.now() - started) / 1000 };
}
