import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type PublishedModel, publishedFiles, runtimeVersion } from './catalogue.ts';
import { type IntegerKind, integerKind } from './integer-kind.ts';
import type { Precision } from './precision.ts';
import { preparationVersion } from './prepared-graphs.ts';

/** Prepared graphs of one model, in a folder named after everything they were made from. */
export type PreparedFolder = { folder: string; files: Record<string, PreparedFile> };
export type PreparedFile = { bytes: number; modified: number; sha256: string };

const manifestName = 'manifest.json';
const staleAfterMs = 7 * 24 * 3600 * 1000;

/** The folder's name: it depends on the weights, the way in which they are prepared, the runtime and the kind of processor. */
export async function preparedName(
  model: PublishedModel,
  precision: Precision = 'int8',
  integers: IntegerKind = integerKind(),
): Promise<string> {
  const hash = createHash('sha256');
  for (const { sha256 } of publishedFiles(model)) hash.update(sha256);
  hash
    .update(await runtimeVersion())
    .update(integers)
    .update(precision)
    .update(`preparation ${preparationVersion}`);
  return `${model.id}-${hash.digest('hex').slice(0, 16)}`;
}

/** The prepared folder when it is there and complete; contents are not looked at. */
export async function findPrepared(
  model: PublishedModel,
  cacheFolder: string,
  precision?: Precision,
  integers?: IntegerKind,
): Promise<PreparedFolder | undefined> {
  const folder = join(cacheFolder, await preparedName(model, precision, integers));
  try {
    const files: Record<string, PreparedFile> = JSON.parse(
      await readFile(join(folder, manifestName), 'utf8'),
    );
    for (const [name, { bytes }] of Object.entries(files)) {
      if ((await stat(join(folder, name))).size !== bytes) return undefined;
    }
    return { folder, files };
  } catch {
    return undefined;
  }
}

/** Contents are read again only when a file was touched since it was written: 300 MB at every start would be a third of a second. */
export async function isUndamaged({ folder, files }: PreparedFolder): Promise<boolean> {
  const checks = Object.entries(files).map(async ([name, { modified, sha256 }]) => {
    const path = join(folder, name);
    return (await stat(path)).mtimeMs === modified || (await fileSha256(path)) === sha256;
  });
  return (await Promise.all(checks)).every(Boolean);
}

export async function fileSha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** Files under construction; nothing is seen under the final name until all of them are on the disk. */
export class PreparedWriter {
  readonly #cacheFolder: string;
  readonly #name: string;
  readonly #temporary: string;
  readonly #files: Record<string, PreparedFile> = {};

  private constructor(cacheFolder: string, name: string) {
    this.#cacheFolder = cacheFolder;
    this.#name = name;
    this.#temporary = join(cacheFolder, `.${name}-${randomBytes(6).toString('hex')}`);
  }

  static async open(cacheFolder: string, name: string): Promise<PreparedWriter> {
    const writer = new PreparedWriter(cacheFolder, name);
    await mkdir(writer.#temporary, { recursive: true });
    return writer;
  }

  async write(name: string, pieces: Iterable<Uint8Array>): Promise<void> {
    const hash = createHash('sha256');
    let bytes = 0;
    let modified = 0;
    const file = await open(join(this.#temporary, name), 'w');
    try {
      for (const piece of joinSmall(pieces)) {
        hash.update(piece);
        bytes += piece.length;
        await file.writeFile(piece);
      }
      await file.sync();
      modified = (await file.stat()).mtimeMs;
    } finally {
      await file.close();
    }
    this.#files[name] = { bytes, modified, sha256: hash.digest('hex') };
  }

  /** Gives the folder its final name. When another process was faster, its work is taken and this one is thrown away. */
  async finish(isWanted: () => Promise<boolean>): Promise<PreparedFolder> {
    await writeFile(join(this.#temporary, manifestName), JSON.stringify(this.#files, undefined, 2));
    const folder = join(this.#cacheFolder, this.#name);
    for (let tries = 0; tries < 3; tries++) {
      try {
        await rename(this.#temporary, folder);
        return { folder, files: this.#files };
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
      }
      if (await isWanted()) break;
      await rename(folder, `${this.#temporary}-damaged`).catch(() => undefined);
      await rm(`${this.#temporary}-damaged`, { recursive: true, force: true });
    }
    await this.discard();
    return { folder, files: this.#files };
  }

  async discard(): Promise<void> {
    await rm(this.#temporary, { recursive: true, force: true });
  }
}

/** Removes what earlier versions and interrupted preparations left behind, once it is a week old. */
export async function removeStale(cacheFolder: string, keep: string): Promise<void> {
  for (const entry of await readdir(cacheFolder)) {
    if (entry === keep || !/^\.?(small|base|tiny)-[0-9a-f]{16}/.test(entry)) continue;
    const path = join(cacheFolder, entry);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > staleAfterMs) await rm(path, { recursive: true, force: true });
  }
}

/** Thousands of field headers are a few bytes each: joins them, so that each is not a write of its own. */
function* joinSmall(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  let small: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    small.push(piece);
    size += piece.length;
    if (size < 1 << 20) continue;
    yield Buffer.concat(small);
    small = [];
    size = 0;
  }
  yield Buffer.concat(small);
}
