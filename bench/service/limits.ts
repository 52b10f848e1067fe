import { once } from 'node:events';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { maxFileBytes } from '../../src/http/transcription/upload/upload-limits.ts';
import { atMost, type Explain, type Figure } from '../figures/figure.ts';
import { formOf } from './client.ts';
import { type ServedProcess, serve } from './served-process.ts';
import { createServiceFolder } from './service-folder.ts';
import { mp3Saying, type StreamedFile, silentWave } from './streamed-file.ts';

export type LimitsOptions = { env: Record<string, string>; explain: Explain };

const maxSeconds = 4 * 3600;
const maxGrowthMegabytes = 60;

/** Files at and just over what is allowed, with what they cost the service in memory. */
export async function measureLimits({ env, explain }: LimitsOptions): Promise<Figure[]> {
  await using folder = await createServiceFolder();
  const [key] = await folder.createKeys(1, 'enterprise');
  await using service = await serve({ dataFolder: folder.path, env });
  // What is read and kept when the first file comes is not what this is about.
  await upload(service, key!.key, silentWave({ seconds: 5 }));

  const hundred = { rate: 48_000, channels: 2 };
  const cases: Case[] = [
    {
      id: 'over-bytes-chunked',
      title: 'file over a limit: more than 100 MB, chunked',
      file: silentWave({ ...hundred, bytes: maxFileBytes + 1, trailing: 50e6 }),
      chunked: true,
      status: 413,
    },
    {
      id: 'over-bytes',
      title: 'file over a limit: more than 100 MB, with its length',
      file: silentWave({ ...hundred, bytes: maxFileBytes + 1, trailing: 50e6 }),
      chunked: false,
      status: 413,
    },
    {
      id: 'over-hours-said',
      title: 'file over a limit: mp3 that says more than 4 h',
      file: await mp3Saying(maxSeconds + 1, 80e6),
      chunked: false,
      status: 400,
    },
    {
      id: 'over-hours',
      title: 'file over a limit: 6 h of wave file that does not say it',
      file: silentWave({ seconds: 1.5 * maxSeconds, rate: 4000, bits: 8, lengthUnknown: true }),
      chunked: true,
      status: 400,
    },
    {
      id: 'exactly',
      title: 'file at the limit: 100 MB',
      file: silentWave({ ...hundred, bytes: maxFileBytes }),
      chunked: false,
      status: 200,
    },
  ];
  const figures: Figure[] = [];
  for (const { id, title, file, chunked, status } of cases) {
    const answer = await upload(service, key!.key, file, chunked);
    explain(`limits: ${title}: ${answer.body}`);
    const sent = `${Math.round(answer.sentBytes / 1e6)} of ${Math.round(file.bytes / 1e6)} MB sent`;
    figures.push(
      {
        id: `limits/${id}`,
        what: title,
        value: answer.status,
        bar: status === 200 ? '= 200' : `= ${status}, early`,
        met: answer.status === status && answer.sentWhole === (status === 200),
        note: `${sent}, ${answer.seconds.toFixed(1)} s`,
      },
      {
        id: `limits/${id}/memory`,
        what: `${title}, memory that it took`,
        ...atMost(maxGrowthMegabytes, answer.grownMegabytes),
        unit: 'MB',
        minor: true,
      },
    );
  }
  await service.stop();
  return figures;
}

type Case = { id: string; title: string; file: StreamedFile; chunked: boolean; status: number };

type Upload = {
  status: number;
  body: string;
  sentBytes: number;
  sentWhole: boolean;
  seconds: number;
  grownMegabytes: number;
};

async function upload(
  { ports, ca, footprint }: ServedProcess,
  key: string,
  file: StreamedFile,
  chunked = false,
): Promise<Upload> {
  const [opening, end] = [formOf(new Uint8Array()).subarray(0, -13), Buffer.from('\r\n--bench--\r\n')];
  const started = performance.now();
  const before = (await footprint()).residentBytes;
  let peak = before;
  const sampling = setInterval(async () => {
    peak = Math.max(peak, (await footprint()).residentBytes);
  }, 50);
  const asked = request({
    host: '127.0.0.1',
    servername: 'localhost',
    port: ports.live,
    path: '/v1/audio/transcriptions',
    method: 'POST',
    ca,
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'multipart/form-data; boundary=bench',
      ...(!chunked && { 'content-length': opening.length + file.bytes + end.length }),
    },
  });
  const over = new AbortController();
  asked.on('error', () => over.abort());
  const answered = once(asked, 'response');
  answered.catch(() => {}).finally(() => over.abort());
  let sentBytes = 0;
  let sentWhole = false;
  const sending = (async () => {
    asked.write(opening);
    for await (const piece of file.pieces()) {
      if (over.signal.aborted) return;
      sentBytes += piece.length;
      if (!asked.write(piece)) await once(asked, 'drain', { signal: over.signal });
    }
    sentWhole = !over.signal.aborted;
    asked.end(end);
  })().catch(() => {});
  try {
    const [response] = await answered;
    const body = await text(response);
    return {
      status: response.statusCode,
      body,
      sentBytes,
      sentWhole,
      seconds: (performance.now() - started) / 1000,
      grownMegabytes: Math.round((peak - before) / 1e6),
    };
  } finally {
    clearInterval(sampling);
    asked.destroy();
    await sending;
  }
}
