import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatTranscript } from '../http/formats/response-format.ts';
import { collectTranscript } from '../speech/collect-transcript.ts';
import { type Command, parseCommandLine, refuseArguments } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { prepareRecogniser } from './prepare-recogniser.ts';
import { createProgressBar } from './progress-bar.ts';

/** A few seconds of speech that come with the project. */
export const sampleRecording = 'test/fixtures/audio/speech-16k.wav';

export const start: Command = async (args, context) => {
  refuseArguments(parseCommandLine(args, {}).positionals);
  const config = context.loadConfig();
  const startedAt = performance.now();
  await using bar = createProgressBar(context.stderr);
  await using recogniser = await prepareRecogniser(context, bar);
  const preparedAt = performance.now();
  const bytes = createReadStream(fileURLToPath(new URL(`../../${sampleRecording}`, import.meta.url)));
  const segments = recogniser.transcribe(bytes, { language: 'mixed', signal: context.signal });
  const transcript = await collectTranscript(segments, 'mixed');
  bar.clear();

  const { body } = formatTranscript(transcript, { format: 'text', words: false, segments: true });
  const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1);
  context.stdout.write(
    [
      `Model "${config.model}" is ready (${seconds(startedAt, preparedAt)} s; kept in ${config.cacheFolder}).`,
      `Transcribed ${sampleRecording}, ${transcript.durationSeconds.toFixed(1)} s of audio, in ${seconds(preparedAt, performance.now())} s:`,
      '',
      `  ${body}`,
      '',
      'Now try a recording of your own:',
      '',
      '  npx siann transcribe FILE',
      '',
    ].join('\n'),
  );
  return exitCodes.ok;
};
