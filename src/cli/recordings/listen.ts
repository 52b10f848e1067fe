import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { LiveEvent, LiveStream } from '../../../client/siann.ts';
import type { StreamOptions } from '../../../wire/option-types.ts';
import { serviceUrl } from '../../addresses/service-url.ts';
import type { Config } from '../../settings/config.ts';
import { type Command, type CommandContext, type Output, parseCommandLine, UsageError } from '../command.ts';
import { optionArguments, readOptionArguments } from '../option-arguments.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { untilAborted } from '../terminal/until-aborted.ts';
import { createCaptions, createEventLines } from './captions.ts';
import { fileFailure } from './file-failure.ts';
import { atRealSpeed, fileAudio, pipedAudio } from './listen-audio.ts';
import { createServiceClient, serviceFailure } from './service-client.ts';

/** How long to wait for the last words, counted from the last event of the service. */
const lastWordsMs = { afterAudio: 60_000, afterInterruption: 5_000 };

/** Streams to a running service and shows live captions. */
export const listen: Command = async (args, context) => {
  const request = parseRequest(args, context);
  const { url, key, options } = request;
  const audio = request.file === undefined ? pipedAudio(context.stdin) : await openFile(request.file);
  const client = createServiceClient({ url, key, ca: await readAuthority(request.authorityPath) });
  const captions = request.json ? createEventLines(context.stdout) : createCaptions(context.stdout);
  const stop = new AbortController();
  let lastWordsTimer: NodeJS.Timeout | undefined;
  const stream = client.listen({ ...options, signal: stop.signal });
  const ended = (async () => {
    for await (const event of stream) {
      lastWordsTimer?.refresh();
      captions.show(event);
      if (!request.json) report(event, context.stderr);
    }
  })();
  try {
    await Promise.race([sendAudio(stream, atRealSpeed(audio, context.signal), context.signal), ended]);
    stream.close();
    lastWordsTimer = setTimeout(
      () => stop.abort(new Error('The last words did not come. Check that the service still runs.')),
      context.signal.aborted ? lastWordsMs.afterInterruption : lastWordsMs.afterAudio,
    );
    await ended;
    return exitCodes.ok;
  } catch (error) {
    throw serviceFailure(error, url);
  } finally {
    clearTimeout(lastWordsTimer);
    stop.abort();
    captions.end();
  }
};

type ListenRequest = {
  file: string | undefined;
  options: Partial<StreamOptions>;
  url: string;
  key: string;
  authorityPath: string | undefined;
  json: boolean;
};

function parseRequest(args: string[], context: CommandContext): ListenRequest {
  const { values, positionals } = parseCommandLine(args, {
    ...optionArguments('stream'),
    url: { type: 'string' },
    key: { type: 'string' },
    ca: { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  const [file, ...more] = positionals;
  if (more.length > 0) throw new UsageError('Name one file at a time.');
  const isPiped = file === undefined || file === '-';
  if (isPiped && context.stdin.isTTY) {
    throw new UsageError(
      'Name an audio file, or pipe audio in: arecord -q -f S16_LE -r 16000 -c 1 | siann listen',
    );
  }
  const options = readOptionArguments(values, 'stream');
  if (values.url !== undefined && !/^(https?|wss?):\/\//.test(values.url)) {
    throw new UsageError('--url is the base address of a service, such as https://localhost:8443/v1.');
  }
  const config = context.loadConfig();
  const key = values.key ?? config.apiKey;
  if (!key) {
    throw new UsageError(
      'Name a key with --key or SIANN_API_KEY. `siann keys create` makes one for a project.',
    );
  }
  return {
    file: isPiped ? undefined : file,
    options,
    url: values.url ?? localAddress(config, key),
    key,
    authorityPath: values.ca ?? localAuthority(config),
    json: values.json,
  };
}

/** The address of the service that uses this data folder, in the environment of the key. */
function localAddress({ host, port, testPort, tls }: Config, key: string): string {
  const portOfKey = key.startsWith('sk_test_') ? testPort : port;
  return `${serviceUrl({ host, port: portOfKey, tls: tls === 'on' })}/v1`;
}

function localAuthority({ dataFolder }: Config): string | undefined {
  const path = join(dataFolder, 'tls', 'ca.pem');
  return existsSync(path) ? path : undefined;
}

/** The authority together with the public ones, because the address may be that of any service. */
async function readAuthority(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const authority = await readFile(path, 'utf8').catch(() => {
    throw new Error(`${path} cannot be read. Name the certificate of the authority with --ca.`);
  });
  return [authority, ...rootCertificates].join('\n');
}

async function openFile(file: string): Promise<AsyncIterable<Uint8Array>> {
  return fileAudio(file).catch((error) => {
    throw new Error(`${file}: ${fileFailure(error)}`);
  });
}

/** Ends when all audio is written, or when the user interrupts. */
async function sendAudio(
  stream: LiveStream,
  frames: AsyncGenerator<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  // While no audio comes, the generator of frames does not see the signal.
  const stopped = untilAborted(signal);
  for (;;) {
    const next = await Promise.race([frames.next(), stopped]);
    if (!next || next.done) return;
    // A microphone does not wait for a service that is away. The stream keeps the audio meanwhile.
    stream.write(next.value).catch(() => {});
  }
}

/** Tells the user what matters to a speaker. A restart of the service needs no message, because the client connects again. */
function report(event: LiveEvent, stderr: Output): void {
  if (event.type === 'warning' && event.code !== 'draining') stderr.write(`${event.message}\n`);
  if (event.type === 'connection.lost')
    stderr.write('The connection was lost. Trying again; what is said meanwhile is kept.\n');
  if (event.type === 'connection.restored') stderr.write('Connected again.\n');
}
