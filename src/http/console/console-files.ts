import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type ConsoleFile = { type: string; plain: Buffer; brotli: Buffer; gzip: Buffer };

/** The console as browsers load it, built once for each process and kept in memory. */
export type ConsoleFiles = {
  /** By the last part of their addresses, which changes with what is in them. */
  all(): Promise<{ page: ConsoleFile; assets: ReadonlyMap<string, ConsoleFile> }>;
};

const consoleFolder = fileURLToPath(new URL('../../../console/', import.meta.url));
const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

export function createConsoleFiles(): ConsoleFiles {
  let built: ReturnType<ConsoleFiles['all']> | undefined;
  return {
    all() {
      built ??= build();
      // After a failure, such as a full disk, it may be tried again.
      built.catch(() => {
        built = undefined;
      });
      return built;
    },
  };
}

async function build(): ReturnType<ConsoleFiles['all']> {
  // Loaded when the console is built, which most commands and tests never do.
  const esbuild = await import('esbuild');
  const { outputFiles } = await esbuild.build({
    absWorkingDir: consoleFolder,
    entryPoints: ['main.tsx', 'recorder.ts', 'styles.css'],
    bundle: true,
    minify: true,
    write: false,
    outdir: 'built',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // The address of the recorder's file is known only after the build, and replaced below.
    define: { RECORDER_FILE: '"/console/assets/recorder.js"' },
    logLevel: 'silent',
  });
  await esbuild.stop();

  const assets = new Map<string, ConsoleFile>();
  const addressOf: Record<string, string> = {};
  // The recorder first, so that the main file can name it.
  for (const name of ['recorder.js', 'styles.css', 'main.js']) {
    const file = outputFiles.find(({ path }) => path.endsWith(`/${name}`))!;
    const recorder = addressOf['recorder.js'] ?? '';
    const text = file.text.replace('/console/assets/recorder.js', recorder);
    addressOf[name] = await add(name, Buffer.from(text));
  }
  addressOf['icon.svg'] = await add('icon.svg', await readFile(`${consoleFolder}icon.svg`));
  const template = await readFile(`${consoleFolder}index.html`, 'utf8');
  const page = template.replace(/\{([\w.]+)\}/g, (_match, name: string) => addressOf[name] ?? '');
  return { page: await compressed(Buffer.from(page), 'text/html; charset=utf-8'), assets };

  async function add(name: string, bytes: Buffer): Promise<string> {
    const [stem = '', extension = ''] = name.split('.');
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
    const hashed = `${stem}-${hash}.${extension}`;
    assets.set(hashed, await compressed(bytes, types[extension]!));
    return `/console/assets/${hashed}`;
  }
}

async function compressed(plain: Buffer, type: string): Promise<ConsoleFile> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  const [brotli, zipped] = await Promise.all([
    promisify(brotliCompress)(plain, { params }),
    promisify(gzip)(plain),
  ]);
  return { type, plain, brotli, gzip: zipped };
}
