import { existsSync } from 'node:fs';
import { pcmSampleRate } from '../../src/audio/pcm.ts';
import type { Config } from '../../src/settings/config.ts';
import { collectTranscript } from '../../src/speech/transcript/collect-transcript.ts';
import { createRecogniser } from '../../src/wiring/create-recogniser.ts';
import { atMost, type Explain, type Figure } from '../figures/figure.ts';
import { joinSentences } from '../long-recording.ts';
import { median } from '../median.ts';
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

/** The same file through the recogniser of `siann transcribe` and through the service, both warm, alternately. */
export async function measureOverhead({ env, config, rounds, explain }: OverheadOptions): Promise<Figure[]> {
  const wave = await toWave(await minuteOfSpeech());
  await using folder = await createServiceFolder();
  const [key] = await folder.createKeys(1, 'professional');
  await using service = await serve({ dataFolder: folder.path, env });
  await using recogniser = await createRecogniser({ config });
  await recogniser.ready();
  using client = createClient({ port: service.ports.live, ca: service.ca });

  const direct = async (file: Uint8Array) => {
    const segments = recogniser.transcribe(inChunks(file), { language: 'mixed' });
    return (await collectTranscript(segments, 'mixed')).segments.map(({ text }) => text).join('\n');
  };
  const served = async (file: Uint8Array) => {
    const { status, body } = await client.transcribe(file, key!.key);
    if (status !== 200) throw new Error(body);
    return JSON.parse(body)
      .segments.map(({ text }: { text: string }) => text)
      .join('\n');
  };

  const compare = async (file: Uint8Array, count: number) => {
    const times: Record<'direct' | 'served', number[]> = { direct: [], served: [] };
    let same = true;
    for (let round = 0; round <= count; round++) {
      // Whichever comes second finds the machine as the first left it.
      const servedFirst = round % 2 === 1 ? await timed(() => served(file)) : undefined;
      const alone = await timed(() => direct(file));
      const overHttps = servedFirst ?? (await timed(() => served(file)));
      same &&= alone.result === overHttps.result;
      explain(`overhead: ${alone.seconds.toFixed(3)} s alone, ${overHttps.seconds.toFixed(3)} s over HTTPS`);
      if (round === 0) continue; // the first of each warms up
      times.direct.push(alone.seconds);
      times.served.push(overHttps.seconds);
    }
    return { same, direct: median(times.direct)!, served: median(times.served)! };
  };

  const speech = await compare(wave, rounds);
  const silence = await compare(await toWave(new Float32Array(seconds * pcmSampleRate)), 4 * rounds);
  const percent = (speech.served / speech.direct - 1) * 100;
  const addedSeconds = silence.served - silence.direct;
  const addedPercent = (addedSeconds / speech.direct) * 100;
  return [
    {
      id: 'overhead/speech',
      what: `${seconds} s file, time added by the service: to speech`,
      ...atMost(5, percent, 1),
      unit: '%',
      note: `${speech.served.toFixed(2)} and ${speech.direct.toFixed(2)} s, medians of ${rounds}`,
    },
    {
      // Without recognition, whose time changes from one run to the next by more than all of this.
      id: 'overhead/silence',
      what: `${seconds} s file, time added by the service: to silence, of the time for speech`,
      ...atMost(5, addedPercent, 1),
      unit: '%',
      note: `${Math.round(addedSeconds * 1000)} ms, medians of ${4 * rounds}`,
    },
    {
      id: 'overhead/text',
      what: `${seconds} s file, text through the service`,
      value: speech.same ? 'the same' : 'not the same',
      bar: 'the same',
      met: speech.same,
      minor: true,
    },
  ];
}

/** Recorded sentences of one language where they are, the project's own recordings otherwise. */
async function minuteOfSpeech(): Promise<Float32Array> {
  const folder = speechFolder(process.env);
  if (!existsSync(folder)) return createRepeatedSpeech(seconds);
  return (await joinSentences(await readSpeechSets(folder, ['mandarin']), seconds)).samples;
}

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 256 * 1024) yield bytes.subarray(at, at + 256 * 1024);
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; seconds: number }> {
  const started = performance.now();
  return { result: await work(), seconds: (performance.now() - started) / 1000 };
}
