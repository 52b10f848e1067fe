import { open } from 'node:fs/promises';
import { ServiceError } from '../../errors/service-error.ts';
import { formatTranscript, type ResponseFormat, responseFormats } from '../../formats/response-format.ts';
import type { Recogniser } from '../../speech/recogniser.ts';
import { mostSpeakers } from '../../speech/speakers/who-spoke.ts';
import { collectTranscript } from '../../speech/transcript/collect-transcript.ts';
import { type LanguageSetting, languageSettings } from '../../speech/transcript/languages.ts';
import type { Transcript } from '../../speech/transcript/segment.ts';
import { type Command, type CommandContext, parseCommandLine, UsageError } from '../command.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { createProgressBar, type ProgressBar } from '../terminal/progress-bar.ts';
import { prepareRecogniser } from './prepare-recogniser.ts';

export const transcribe: Command = async (args, context) => {
  const request = parseRequest(args);
  await using bar = createProgressBar(context.stderr);
  await using recogniser = await prepareRecogniser(context, bar);
  let failed = false;
  for (const file of request.files) {
    context.signal.throwIfAborted();
    try {
      const transcript = await transcribeFile(file, request, recogniser, bar, context);
      bar.clear();
      context.stdout.write(written(file, transcript, request, context.stdout.isTTY ?? false));
    } catch (error) {
      if (context.signal.aborted) throw error;
      bar.clear();
      context.stderr.write(`${printable(file)}: ${failureSentence(error)}\n`);
      failed = true;
    }
  }
  return failed ? exitCodes.failed : exitCodes.ok;
};

type TranscribeRequest = {
  files: string[];
  format: ResponseFormat;
  language: LanguageSetting;
  prompt?: string;
  hotwords?: string[];
  words: boolean;
  json: boolean;
  speakers?: { count?: number };
};

function parseRequest(args: string[]): TranscribeRequest {
  const { values, positionals } = parseCommandLine(args, {
    format: { type: 'string' },
    language: { type: 'string', default: 'mixed' },
    prompt: { type: 'string' },
    hotwords: { type: 'string' },
    words: { type: 'boolean', default: false },
    diarize: { type: 'boolean', default: false },
    speakers: { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  if (positionals.length === 0)
    throw new UsageError('Name at least one audio file, or - for standard input.');
  if (positionals.filter((file) => file === '-').length > 1) throw new UsageError('Name - only once.');
  const format = choice('--format', values.format ?? (values.json ? 'json' : 'text'), responseFormats);
  if (values.json && !format.endsWith('json'))
    throw new UsageError(`--json does not go with --format ${format}.`);
  if (values.words && format !== 'verbose_json') throw new UsageError('--words needs --format verbose_json.');
  const count = values.speakers === undefined ? undefined : speakerCount(values.speakers);
  const diarize = values.diarize || count !== undefined || format === 'diarized_json';
  const hotwords = values.hotwords?.split(/[,，、]/).map((word) => word.trim());
  return {
    files: positionals,
    format,
    language: choice('--language', values.language, languageSettings),
    words: values.words,
    json: values.json,
    ...(diarize && { speakers: count === undefined ? {} : { count } }),
    ...(values.prompt !== undefined && { prompt: values.prompt }),
    ...(hotwords && { hotwords: hotwords.filter((word) => word !== '') }),
  };
}

function choice<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const chosen = allowed.find((candidate) => candidate === value);
  if (chosen === undefined)
    throw new UsageError(`${option} is one of ${allowed.join(', ')}, not "${value}".`);
  return chosen;
}

function speakerCount(value: string): number {
  const count = /^\d+$/.test(value) ? Number(value) : 0;
  if (count < 1 || count > mostSpeakers)
    throw new UsageError(`--speakers is a whole number from 1 to ${mostSpeakers}.`);
  return count;
}

async function transcribeFile(
  file: string,
  request: TranscribeRequest,
  recogniser: Recogniser,
  bar: ProgressBar,
  context: CommandContext,
): Promise<Transcript> {
  const audio: Audio = file === '-' ? { bytes: context.stdin } : await openAudio(file);
  const progress = bar.startFile(printable(file), audio.totalBytes);
  const segments = recogniser.transcribe(progress.count(audio.bytes), {
    language: request.language,
    signal: context.signal,
    onProgress: progress.update,
    words: request.words,
    ...(request.speakers && { speakers: request.speakers }),
    ...(request.prompt !== undefined && { prompt: request.prompt }),
    ...(request.hotwords && { hotwords: request.hotwords }),
  });
  try {
    return await collectTranscript(segments, request.language);
  } finally {
    audio.close?.();
  }
}

type Audio = { bytes: AsyncIterable<Uint8Array>; totalBytes?: number; close?(): void };

async function openAudio(file: string): Promise<Audio> {
  const handle = await open(file);
  const stat = await handle.stat();
  if (stat.isDirectory()) {
    await handle.close();
    throw Object.assign(new Error(`${file} is a folder`), { code: 'EISDIR' });
  }
  const bytes = handle.createReadStream({ highWaterMark: 256 * 1024 });
  const close = () => void bytes.destroy();
  // A pipe or a device has no size to show progress against.
  return stat.isFile() ? { bytes, close, totalBytes: stat.size } : { bytes, close };
}

function written(
  file: string,
  transcript: Transcript,
  request: TranscribeRequest,
  onTerminal: boolean,
): string {
  const { body } = formatTranscript(transcript, { ...request, segments: true });
  if (request.json) return `${JSON.stringify({ file, ...JSON.parse(body) })}\n`;
  const heading = onTerminal && request.files.length > 1 ? `==> ${printable(file)} <==\n` : '';
  return heading + (body.endsWith('\n') ? body : `${body}\n`);
}

const fileFailures: Record<string, string> = {
  ENOENT: 'there is no such file.',
  EISDIR: 'this is a folder. Name the audio files in it.',
  EACCES: 'the file may not be read. Check its permissions.',
  EPERM: 'the file may not be read. Check its permissions.',
};

function failureSentence(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return fileFailures[code ?? ''] ?? (error instanceof Error ? error.message : String(error));
}

/** A file name cannot move the cursor or colour the terminal. */
function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, '�');
}
