import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../accounts/admission.ts';
import type { Service } from '../service.ts';
import { type Command, parseCommandLine, refuseArguments } from './command.ts';
import { runService } from './run-service.ts';

/** A few seconds of speech that come with the project. */
const sampleRecording = fileURLToPath(new URL('../../test/fixtures/audio/speech-16k.wav', import.meta.url));

export const start: Command = (args, context) => {
  refuseArguments(parseCommandLine(args, {}).positionals);
  return runService(context, async (service) => {
    context.stdout.write(welcome(service, await firstKeys(service)));
  });
};

type Keys = Record<Environment, string>;

/** On the first start an account, a project and a key for each environment; later ones find them there. */
async function firstKeys({ accounts }: Service): Promise<Keys | undefined> {
  const project = await accounts.createFirst();
  if (!project) return undefined;
  const make = async (environment: Environment) =>
    (await accounts.keys.create({ project: project.id, environment, name: 'first' })).key;
  return { live: await make('live'), test: await make('test') };
}

export function welcome(
  { addresses, authorityPath }: Pick<Service, 'addresses' | 'authorityPath'>,
  keys?: Keys,
) {
  const trust = authorityPath ? ` --cacert ${shellWord(authorityPath)}` : '';
  return [
    '',
    'Siann is ready.',
    '',
    `  live   ${addresses.live}`,
    `  test   ${addresses.test}`,
    `  docs   ${new URL('/docs', addresses.live)}`,
    '',
    ...keyLines(keys),
    '',
    'Try it:',
    '',
    `  curl${trust} ${addresses.test}/audio/transcriptions \\`,
    `    -H "Authorization: Bearer ${keys?.test ?? '$SIANN_TEST_KEY'}" \\`,
    `    -F model=siann-1 -F file=@${shellWord(sampleRecording)}`,
    '',
    ...trustLines(authorityPath),
    'Stop with Ctrl-C.',
    '',
    '',
  ].join('\n');
}

function keyLines(keys: Keys | undefined): string[] {
  if (keys) return ['Your keys, shown this once:', '', `  live   ${keys.live}`, `  test   ${keys.test}`];
  return [
    'Keys are shown only when they are made. For a new one:',
    '',
    '  npx siann keys create --project default --environment test',
  ];
}

function trustLines(authorityPath: string | undefined): string[] {
  if (!authorityPath) return [];
  const path = shellWord(authorityPath);
  return [
    `The certificate is of this installation’s own making. Clients have to trust ${relative('.', authorityPath)}:`,
    '',
    `  curl --cacert ${path}`,
    `  NODE_EXTRA_CA_CERTS=${path}   for Node.js`,
    `  SSL_CERT_FILE=${path}         for Python`,
    '',
  ];
}

/** As it can be pasted into a shell. */
function shellWord(text: string): string {
  return /^[\w./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
