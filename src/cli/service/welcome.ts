import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../../wire/account.ts';
import type { Service } from '../../wiring/create-service.ts';
import { setupAddress } from './console-address.ts';

export type Keys = Record<Environment, string>;

type WelcomeOptions = {
  service: Pick<Service, 'addresses' | 'authorityPath'>;
  /** Set if they were made just now. */
  keys: Keys | undefined;
  /** Set as long as nobody can sign in to the console. */
  link: string | undefined;
  /** False when the settings turn the console off. */
  hasConsole?: boolean;
};

/** A few seconds of speech that come with the project. */
const sampleRecording = fileURLToPath(new URL('../../../samples/talk.mp3', import.meta.url));

/** One screen: where everything is, the keys, and what to try next. */
export function welcome({ service, keys, link, hasConsole = true }: WelcomeOptions): string {
  const { addresses, authorityPath } = service;
  const trust = authorityPath ? ` --cacert ${shellWord(authorityPath)}` : '';
  const origin = new URL(addresses.live).origin;
  return [
    '',
    'Siann is ready.',
    '',
    ...(hasConsole ? [`  console  ${origin}/console`] : []),
    `  docs     ${origin}/docs`,
    `  live     ${addresses.live}`,
    `  test     ${addresses.test}`,
    '',
    ...consoleLines(origin, link, authorityPath),
    ...keyLines(keys),
    '',
    'From the command line:',
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

function consoleLines(origin: string, link: string | undefined, authorityPath: string | undefined): string[] {
  if (link === undefined) return [];
  return [
    'Try live captions now: open this link in a browser. It works once.',
    '',
    `  ${setupAddress(origin, link)}`,
    '',
    ...(authorityPath
      ? [
          'The browser warns about the certificate the first time, because this installation made it itself: go on.',
          '',
        ]
      : []),
  ];
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
    `This installation made its certificate itself. Clients have to trust ${relative('.', authorityPath)}:`,
    '',
    `  curl --cacert ${path}`,
    `  NODE_EXTRA_CA_CERTS=${path}   for Node.js`,
    `  SSL_CERT_FILE=${path}         for Python`,
    '',
  ];
}

/** Quotes a text so that it can be pasted into a shell. */
function shellWord(text: string): string {
  return /^[\w./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
