import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { Config } from '../config.ts';
import { type LanguageSetting, languageSettings } from '../speech/segment.ts';
import { createCaptions, createEventLines } from './captions.ts';
import { type Command, type CommandContext, parseCommandLine, UsageError } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { atRealSpeed, fileAudio, pipedAudio } from './listen-audio.ts';
import { connectToStream, type StreamConnection } from './stream-connection.ts';

/** After Ctrl-C, how long the last final may take. */
const lastWordsMs = 5_000;

/** Streams to a running service and shows live captions. */
export const listen: Command = async (args, context) => {
  const request = parseRequest(args, context);
  const audio = request.file === undefined ? pipedAudio(context.stdin) : await openFile(request.file);
  const captions = request.json ? createEventLines(context.stdout) : createCaptions(context.stdout);
  let failure: string | undefined;
  const connection = await connectToStream({
    url: request.url,
    key: request.key,
    query: { language: request.language, sample_rate: '16000', encoding: 'LINEAR16' },
    ca: await readAuthority(request.authorityPath),
    onEvent(event) {
      captions.show(event);
      if (event.type === 'error') failure = event.error.message;
      if (event.type === 'warning' && !request.json) context.stderr.write(`${event.message}\n`);
    },
  });
  await sendAudio(connection, atRealSpeed(audio, context.signal), context.signal);
  const late = setTimeout(() => connection.terminate(), context.signal.aborted ? lastWordsMs : 60_000);
  const { code } = await connection.closed;
  clearTimeout(late);
  captions.end();
  if (code === 1000) return exitCodes.ok;
  const lost = 'The connection was lost before the last words came.';
  context.stderr.write(`${failure ?? lost}\n`);
  return exitCodes.failed;
};

type ListenRequest = {
  file: string | undefined;
  language: LanguageSetting;
  url: string;
  key: string;
  authorityPath: string | undefined;
  json: boolean;
};

function parseRequest(args: string[], context: CommandContext): ListenRequest {
  const { values, positionals } = parseCommandLine(args, {
    language: { type: 'string', default: 'mixed' },
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
  const language = languageSettings.find((setting) => setting === values.language);
  if (!language) throw new UsageError(`--language is one of ${languageSettings.join(', ')}.`);
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
    language,
    url: values.url ?? localAddress(config, key),
    key,
    authorityPath: values.ca ?? localAuthority(config),
    json: values.json,
  };
}

/** The service of the data folder, in the environment that the key is of. */
function localAddress({ host, port, testPort, tls }: Config, key: string): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const scheme = tls === 'proxy' ? 'http' : 'https';
  return `${scheme}://${name}:${key.startsWith('sk_test_') ? testPort : port}/v1`;
}

function localAuthority({ dataFolder }: Config): string | undefined {
  const path = join(dataFolder, 'tls', 'ca.pem');
  return existsSync(path) ? path : undefined;
}

/** With what this machine trusts anyway: the address may be of any service. */
async function readAuthority(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const authority = await readFile(path, 'utf8').catch(() => {
    throw new Error(`${path} cannot be read. Name the certificate of the authority with --ca.`);
  });
  return [authority, ...rootCertificates].join('\n');
}

async function openFile(file: string): Promise<AsyncIterable<Uint8Array>> {
  return fileAudio(file).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file}: ${error.code === 'ENOENT' ? 'there is no such file.' : error.message}`);
  });
}

/** Ends with everything sent, with the client's wish to stop, or with the connection. */
async function sendAudio(
  connection: StreamConnection,
  frames: AsyncGenerator<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const closed = connection.closed.then(() => 'closed' as const);
  // Where no audio comes, the frames would never hear of it.
  const stopped = new Promise<'stopped'>((resolve) => {
    if (signal.aborted) resolve('stopped');
    signal.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
  try {
    for (;;) {
      const next = await Promise.race([frames.next(), closed, stopped]);
      if (next === 'closed') return;
      if (next === 'stopped' || next.done) break;
      connection.send(next.value);
    }
    connection.send({ type: 'close' });
  } catch (error) {
    connection.terminate();
    throw error;
  }
}
