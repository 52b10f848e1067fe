import { open } from 'node:fs/promises';
import { formatTranscript } from '../../formats/response-format.ts';
import {
  type DecidedFileOptions,
  decideFileOptions,
  toTranscribeOptions,
} from '../../options/file-options.ts';
import type { Recogniser } from '../../speech/recogniser.ts';
import { collectTranscript } from '../../speech/transcript/collect-transcript.ts';
import type { Transcript } from '../../speech/transcript/segment.ts';
import { type Command, type CommandContext, parseCommandLine, UsageError } from '../command.ts';
import { optionArguments, readOptionArguments } from '../option-arguments.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { createProgressBar, type ProgressBar } from '../terminal/progress-bar.ts';
import { fileFailure } from './file-failure.ts';
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
      context.stderr.write(`${printable(file)}: ${fileFailure(error)}\n`);
      failed = true;
    }
  }
  return failed ? exitCodes.failed : exitCodes.ok;
};

type TranscribeRequest = { files: string[]; options: DecidedFileOptions; json: boolean };

function parseRequest(args: string[]): TranscribeRequest {
  const { values, positionals } = parseCommandLine(args, {
    ...optionArguments('file'),
    json: { type: 'boolean', default: false },
  });
  if (positionals.length === 0)
    throw new UsageError('Name at least one audio file, or - for standard input.');
  if (positionals.filter((file) => file === '-').length > 1) throw new UsageError('Name - only once.');
  const json = values.json === true;
  const asked = readOptionArguments(values, 'file');
  // A number of speakers also turns diarization on.
  if (asked.numSpeakers !== undefined) asked.speakerDiarization = true;
  const options = decideFileOptions(asked, json ? 'json' : 'text');
  const { responseFormat, timestampGranularities } = options;
  if (json && !responseFormat.endsWith('json'))
    throw new UsageError(`--json does not go with --format ${responseFormat}.`);
  if (timestampGranularities.includes('word') && responseFormat !== 'verbose_json')
    throw new UsageError('--words needs --format verbose_json.');
  return { files: positionals, options, json };
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
    ...toTranscribeOptions(request.options),
    signal: context.signal,
    onProgress: progress.update,
  });
  try {
    return await collectTranscript(segments, request.options.language);
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
  const { body } = formatTranscript(transcript, request.options);
  if (request.json) return `${JSON.stringify({ file, ...JSON.parse(body) })}\n`;
  const heading = onTerminal && request.files.length > 1 ? `==> ${printable(file)} <==\n` : '';
  return heading + (body.endsWith('\n') ? body : `${body}\n`);
}

/** Replaces control characters, so that a file name cannot move the cursor or colour the terminal. */
function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, '�');
}
