// Plays recordings at the pace of speech into sessions in this process: what a listener would see, and when.
// tsx bench/realtime/session-latency.ts --sets mandarin,english --count 10 --streams 1 [--model small] [--offline]
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeAudio } from '../../src/audio/decode-audio.ts';
import { type Pcm, pcmSampleRate } from '../../src/audio/pcm.ts';
import { createSession, type SessionConfig } from '../../src/sessions/session.ts';
import type { SessionEvent, TranscriptEvent } from '../../src/sessions/session-events.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { joinText } from '../../src/speech/text/join-text.ts';
import { createRecogniser } from '../../src/wiring/create-recogniser.ts';
import { readOptions } from '../options.ts';
import { addScores, alignUnits, errorRate, type Score, score, toUnits } from '../scoring.ts';
import { readSpeechSets, type Sentence, speechFolder } from '../speech-sets.ts';

type Played = { events: { event: SessionEvent; at: number }[]; text: string };

type Result = {
  set: string;
  firstPartial: number | undefined;
  finals: number[];
  shown: number;
  changed: number;
  partials: number;
  stream: Score;
  file: Score | undefined;
};

const values = readOptions({
  sets: { type: 'string', default: 'mandarin,english,mandarin-english,taiwanese' },
  count: { type: 'string', default: '8' },
  skip: { type: 'string', default: '0' },
  streams: { type: 'string', default: '1' },
  model: { type: 'string', default: 'small' },
  endpointing: { type: 'string', default: '500' },
  offline: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  verbose: { type: 'boolean', default: false },
});
const endpointingMs = Number(values.endpointing);
const config: SessionConfig = {
  language: 'mixed',
  encoding: 'LINEAR16',
  sampleRate: pcmSampleRate,
  interimResults: !values.quick,
  endpointingMs,
  words: false,
  hotwords: [],
  speakerDiarization: false,
};

const model = values.model as 'small' | 'base' | 'tiny';
await using recogniser = await createRecogniser({ config: { ...loadConfig(process.env), model } });
await recogniser.ready();
const sets = await readSpeechSets(speechFolder(process.env), values.sets.split(','));
const [skip, count] = [Number(values.skip), Number(values.count)];
const waiting = sets.flatMap(({ name, sentences }) =>
  sentences.slice(skip, skip + count).map((sentence) => ({ set: name, sentence })),
);
const results: Result[] = [];
const warmUp = sets[0]!.sentences[0]!;
await play(await read(warmUp.file), true);

const cpu = process.cpuUsage();
let seconds = 0;
await Promise.all(
  Array.from({ length: Number(values.streams) }, async (_, index) => {
    await delay(index * 700);
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const audio = await read(next.sentence.file);
      seconds += audio.length / pcmSampleRate;
      results.push(await judge(next.set, next.sentence, audio));
    }
  }),
);
print();
console.log(
  `main process CPU ${((process.cpuUsage(cpu).user / 1e6 / seconds) * 100).toFixed(1)} % of the audio`,
);

async function judge(set: string, sentence: Sentence, audio: Pcm): Promise<Result> {
  const { events, text } = await play(audio, values.quick);
  const transcripts = events.flatMap(({ event, at }) => (event.type === 'transcript' ? [{ event, at }] : []));
  const finals = transcripts.filter(({ event }) => event.is_final && event.text !== '');
  const started = events.flatMap(({ event }) => (event.type === 'speech.started' ? [event.at] : []))[0];
  const shownFirst = transcripts.find(({ event }) => event.text !== '');
  const late = finals
    .filter(({ event }) => event.speech_final && !event.from_finalize)
    .map(({ event, at }) => Math.max(0, at - event.end - endpointingMs / 1000));
  const { shown, changed } = compareShown(transcripts.map(({ event }) => event));
  if (values.verbose) {
    for (const { event, at } of transcripts)
      console.log(at.toFixed(2), event.segment_id, event.is_final ? 'FINAL  ' : 'partial', event.text);
    console.log(`     said     ${sentence.text}  late ${late.map((each) => each.toFixed(2))}`);
  }
  const offline = values.offline ? await transcribe(sentence.file) : undefined;
  if (values.verbose && offline !== undefined && toUnits(offline).join() !== toUnits(text).join())
    console.log(
      `said   ${sentence.text}\nstream ${finals.map(({ event }) => event.text).join(' | ')}\nfile   ${offline}\n`,
    );
  return {
    set,
    firstPartial: shownFirst && started !== undefined ? shownFirst.at - started : undefined,
    finals: late,
    shown,
    changed,
    partials: transcripts.length - finals.length,
    stream: score(sentence.text, text, { numbersFolded: true }),
    file: offline === undefined ? undefined : score(sentence.text, offline, { numbersFolded: true }),
  };
}

/** Words of partials that are not in the final of their segment, each counted once, when it is shown first. */
function compareShown(events: TranscriptEvent[]): { shown: number; changed: number } {
  let [shown, changed] = [0, 0];
  for (const final of events.filter((event) => event.is_final)) {
    const partials = events.filter((event) => !event.is_final && event.segment_id === final.segment_id);
    let before: string[] = [];
    const following = events.find((event) => event.is_final && event.segment_id === final.segment_id + 1);
    const end = toUnits(joinText([final.text, following?.text ?? '']));
    for (const { text } of partials) {
      const units = toUnits(text);
      let same = 0;
      while (same < before.length && same < units.length && before[same] === units[same]) same++;
      const fresh = units.length - same;
      shown += fresh;
      // The last units of the partial are the new ones: those that align with nothing in the end were wrong.
      const { substitutions, deletions } = alignUnits(units, end.slice(0, units.length));
      const wrongBefore = alignUnits(units.slice(0, same), end.slice(0, same));
      const wrong = substitutions + deletions - wrongBefore.substitutions - wrongBefore.deletions;
      changed += Math.max(0, Math.min(fresh, wrong));
      before = units;
    }
  }
  return { shown, changed };
}

async function play(audio: Pcm, quick: boolean): Promise<Played> {
  const padded = new Float32Array(audio.length + pcmSampleRate * 1.5);
  padded.set(audio);
  const free = async () => {};
  const account = { reserve: free, settleSoFar: free, settle: free, owe: free };
  const session = createSession({
    id: crypto.randomUUID(),
    config,
    recogniser: recogniser.stream!,
    account,
  });
  const events: Played['events'] = [];
  const started = performance.now();
  const reading = (async () => {
    for await (const event of session.events())
      events.push({ event, at: (performance.now() - started) / 1000 });
  })();
  const frame = pcmSampleRate / 50;
  for (let at = 0; at < padded.length; at += frame) {
    const due = ((at + frame) / pcmSampleRate) * 1000 - (performance.now() - started);
    if (!quick && due > 0) await delay(due);
    while (quick && session.bufferedSeconds > 5) await delay(5);
    session.receiveAudio(toLinear16(padded.subarray(at, at + frame)));
  }
  session.close();
  await session.closed;
  await reading;
  const finals = events.flatMap(({ event }) =>
    event.type === 'transcript' && event.is_final ? [event.text] : [],
  );
  return { events, text: joinText(finals) };
}

function toLinear16(samples: Pcm): Uint8Array {
  const values = Int16Array.from(samples, (sample) => Math.round(sample * 32_767));
  return new Uint8Array(values.buffer);
}

async function read(file: string): Promise<Pcm> {
  const chunks: number[] = [];
  const bytes = await readFile(file);
  const source = (async function* () {
    yield new Uint8Array(bytes);
  })();
  for await (const chunk of decodeAudio(source)) for (const sample of chunk) chunks.push(sample);
  return Float32Array.from(chunks);
}

async function transcribe(file: string): Promise<string> {
  const bytes = await readFile(file);
  const source = (async function* () {
    yield new Uint8Array(bytes);
  })();
  const texts: string[] = [];
  for await (const { text } of recogniser.transcribe(source, { language: 'mixed' })) texts.push(text);
  return joinText(texts);
}

function print(): void {
  const quantile = (list: number[], part: number) =>
    list.sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * part))] ?? Number.NaN;
  const of = (name: string, own: Result[]) => {
    const first = own.flatMap(({ firstPartial }) => firstPartial ?? []);
    const finals = own.flatMap((result) => result.finals);
    const shown = own.reduce((sum, result) => sum + result.shown, 0);
    const changed = own.reduce((sum, result) => sum + result.changed, 0);
    const offline = own.flatMap(({ file }) => file ?? []);
    console.log(
      name.padEnd(18),
      `first ${quantile(first, 0.5).toFixed(2)}/${quantile(first, 0.95).toFixed(2)} s`,
      `final ${quantile(finals, 0.5).toFixed(2)}/${quantile(finals, 0.95).toFixed(2)} s (${finals.length})`,
      `changed ${((changed / Math.max(1, shown)) * 100).toFixed(1)} % of ${shown}`,
      `partials ${own.reduce((sum, result) => sum + result.partials, 0)}`,
      `errors ${(errorRate(addScores(own.map(({ stream }) => stream))) * 100).toFixed(1)} %`,
      offline.length > 0 ? `as files ${(errorRate(addScores(offline)) * 100).toFixed(1)} %` : '',
    );
  };
  for (const { name } of sets)
    of(
      name,
      results.filter(({ set }) => set === name),
    );
  of('all', results);
}
