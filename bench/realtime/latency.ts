import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { addScores, errorRate, type Score, score } from '../../evaluation/scoring.ts';
import { atMost, type Explain, type Figure, rounded } from '../figures/figure.ts';
import { createClient } from '../service/client.ts';
import { type ServedProcess, serve } from '../service/served-process.ts';
import { createServiceFolder } from '../service/service-folder.ts';
import type { Sentence, SpeechSet } from '../speech-sets.ts';
import { type CaptionFigures, captionFigures, quantile } from './caption-figures.ts';
import { processorSeconds } from './processor-time.ts';
import { playRecording, readRecording } from './recording.ts';
import type { StreamTarget } from './stream-client.ts';

export type LatencyOptions = {
  env: Record<string, string>;
  sets: SpeechSet[];
  /** How many sentences of each set. */
  count: number;
  /** How many streams at once, one level after another. */
  levels: number[];
  endpointingMs: number;
  explain: Explain;
};

type Spoken = { set: string; sentence: Sentence };
type Captioned = Spoken & CaptionFigures & { offline: string };

/** What listeners see, and when, with ever more of them. */
export async function measureLatency(options: LatencyOptions): Promise<Figure[]> {
  const { sets, count, levels, explain } = options;
  await using folder = await createServiceFolder();
  const [key] = await folder.createKeys(1, 'enterprise');
  await using service = await serve({ dataFolder: folder.path, env: options.env });
  const target = { port: service.ports.live, ca: service.ca, key: key!.key };
  const spoken = sets.flatMap(({ name, sentences }) =>
    sentences.slice(0, count).map((sentence) => ({ set: name, sentence })),
  );
  await playRecording(target, await readRecording(spoken[0]!.sentence.file), options.endpointingMs);
  const offline = await transcribeOffline(target, spoken);
  const figures: Figure[] = [];
  for (const level of levels) {
    const { captioned, processor } = await playAll(service, target, spoken, offline, level, options);
    for (const each of captioned) explain(`${each.set} | ${each.sentence.text} | ${each.text}`);
    figures.push(...levelFigures(level, captioned, processor));
    if (level === levels[0]) figures.push(...accuracyFigures(sets, captioned));
  }
  return figures;
}

async function transcribeOffline(target: StreamTarget, spoken: Spoken[]): Promise<Map<Sentence, string>> {
  using client = createClient(target);
  const texts = new Map<Sentence, string>();
  for (const { sentence } of spoken) {
    const answer = await client.transcribe(await readFile(sentence.file), target.key);
    texts.set(sentence, JSON.parse(answer.body).text);
  }
  return texts;
}

async function playAll(
  service: ServedProcess,
  target: StreamTarget,
  spoken: Spoken[],
  offline: Map<Sentence, string>,
  level: number,
  { endpointingMs }: LatencyOptions,
) {
  const waiting = [...spoken];
  const captioned: Captioned[] = [];
  let audioSeconds = 0;
  const before = await processorSeconds(service.pid);
  const listener = async (index: number) => {
    // Speakers do not begin in the same moment.
    await sleep(index * 700);
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const recording = await readRecording(next.sentence.file);
      const seen = await playRecording(target, recording, endpointingMs);
      audioSeconds += recording.seconds;
      captioned.push({
        ...next,
        ...captionFigures(seen, endpointingMs / 1000),
        offline: offline.get(next.sentence)!,
      });
    }
  };
  await Promise.all(Array.from({ length: level }, (_, index) => listener(index)));
  const processor = ((await processorSeconds(service.pid)) - before) / audioSeconds;
  return { captioned, processor };
}

function levelFigures(level: number, captioned: Captioned[], processor: number): Figure[] {
  const first = captioned.flatMap(({ firstPartial }) => firstPartial ?? []);
  const finals = captioned.flatMap((each) => each.finals);
  const behind = captioned.flatMap((each) => each.behind);
  const shown = captioned.reduce((sum, each) => sum + each.shown, 0);
  const changed = captioned.reduce((sum, each) => sum + each.changed, 0);
  const column = { series: level === 1 ? 'one stream' : `${level} streams`, at: level };
  const seconds = (name: string, what: string, value: number, bar?: number): Figure => ({
    id: `latency/${name}/${level}`,
    what,
    ...(bar === undefined ? { value: rounded(value, 2) } : atMost(bar, value, 2)),
    unit: 's',
    ...column,
  });
  const alone = level === 1;
  return [
    seconds('final-p50', 'final after the pause: p50', quantile(finals, 0.5), alone ? 0.5 : undefined),
    seconds(
      'final-p95',
      'final after the pause: p95',
      quantile(finals, 0.95),
      alone ? 0.9 : level <= 4 ? 2 : undefined,
    ),
    seconds('partial-p50', 'first partial: p50', quantile(first, 0.5), alone ? 0.8 : undefined),
    seconds('partial-p95', 'first partial: p95', quantile(first, 0.95)),
    seconds('behind-p50', 'shown text behind the speaker: p50', quantile(behind, 0.5)),
    seconds('behind-p95', 'shown text behind the speaker: p95', quantile(behind, 0.95)),
    {
      id: `latency/changed/${level}`,
      what: 'shown words or characters that change later',
      ...atMost(5, (changed / Math.max(1, shown)) * 100, 1),
      unit: '%',
      note: `of ${shown}`,
      ...column,
    },
    {
      id: `latency/processor/${level}`,
      what: 'processor seconds for a second of audio',
      value: rounded(processor, 2),
      ...column,
    },
  ];
}

/** The finals of a stream against the text of the same file. */
function accuracyFigures(sets: SpeechSet[], captioned: Captioned[]): Figure[] {
  return sets.map(({ name }) => {
    const own = captioned.filter(({ set }) => set === name);
    const rate = (text: (each: Captioned) => string) =>
      errorRate(addScores(own.map((each) => judge(each, text(each))))) * 100;
    const [streamed, offline] = [rate(({ text }) => text), rate((each) => each.offline)];
    return {
      id: `latency/errors/${name}`,
      what: `errors of finals: ${name}`,
      value: rounded(streamed, 1),
      bar: `≤ ${rounded(offline + 2, 1)}`,
      met: streamed <= offline + 2,
      unit: '%',
      note: `${rounded(offline, 1)} % as files`,
    };
  });
}

function judge({ sentence }: Captioned, text: string): Score {
  return score(sentence.text, text, { numbersFolded: true });
}
