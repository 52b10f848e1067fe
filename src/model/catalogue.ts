import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type ModelId = 'small' | 'base' | 'tiny';
export type AdapterChoice = 'own' | 'none';
export const modelIds: readonly ModelId[] = ['small', 'base', 'tiny'];

/** A file of a published package, and what it must be. */
export type PublishedFile = { path: string; sha256: string };

export type PublishedModel = {
  id: ModelId;
  packageName: string;
  version: string;
  /** Holds the vocabulary and the dimensions of the network, and the weights in a folder `onnx`. */
  folder: string;
  encoder: PublishedFile;
  decoder: PublishedFile;
  voiceActivity: PublishedFile;
  /** What this project trained on top of the weights. */
  adapter?: PublishedFile;
  /** The most memory that an inference process with this model was seen to use. */
  memoryBytes: number;
};

const weights: Record<ModelId, { encoder: string; decoder: string; memoryBytes: number }> = {
  small: {
    encoder: '969f5ac12974340386bf7a02ea6626003e5e2dee396ffc6ab0eec282bf55ba06',
    decoder: 'fcfc6100dc7339e7507e10f8b274350be7c4f8d8b575f0293f94cc0e156d6d24',
    memoryBytes: 900e6,
  },
  base: {
    encoder: '3e345e977b55620a37c0c2b2af0644e019afdfad562dcf71eb929bb7274285f9',
    decoder: 'a6beb6baabb66f00b6a686d828c95ffca6146d51900cbad0266cad38f64cf861',
    memoryBytes: 450e6,
  },
  tiny: {
    encoder: 'fd9d995b9dcb0520f0dbf6cf68651af639fc385f594d9d876e69ca2802dc438e',
    decoder: '6c0c125986b007d2e3734bec84c18bda0152071b90b87fadac6d7764499927a0',
    memoryBytes: 330e6,
  },
};
/** SHA-256 of the adapters in the folder `weights`. */
const adapters: Partial<Record<ModelId, string>> = {
  small: '88b3000399f780d1bf24b23af12f40e811c5deb0803a9b95076cb8c7f166877d',
  base: '19d507a2cac1354de9ed1d4d462ba3b227951d91f4a5928266d30ba62d6eee81',
};
const adapterFolder = fileURLToPath(new URL('../../weights', import.meta.url));
const sileroSha256 = '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3';

const resolvePackages = createRequire(import.meta.url);

/** The package a model comes in, whether or not it is installed. */
export function modelPackage(id: ModelId): Pick<PublishedModel, 'packageName' | 'version' | 'memoryBytes'> {
  return { packageName: `sts-whisper-${id}`, version: '1.0.0', memoryBytes: weights[id].memoryBytes };
}

/** With the project's adapter where there is one, unless it is not wanted. */
export function publishedModel(id: ModelId, adapter: AdapterChoice = 'own'): PublishedModel {
  const known = modelPackage(id);
  const folder = join(packageFolder(known.packageName), 'models', 'Xenova', `whisper-${id}`);
  const { encoder, decoder } = weights[id];
  const adapterSha256 = adapter === 'none' ? undefined : adapters[id];
  return {
    id,
    ...known,
    folder,
    encoder: { path: join(folder, 'onnx', 'encoder_model_quantized.onnx'), sha256: encoder },
    decoder: { path: join(folder, 'onnx', 'decoder_model_merged_quantized.onnx'), sha256: decoder },
    voiceActivity: {
      path: join(packageFolder('@ricky0123/vad-web'), 'dist', 'silero_vad_v6.onnx'),
      sha256: sileroSha256,
    },
    ...(adapterSha256 && {
      adapter: { path: join(adapterFolder, `adapter-${id}.bin`), sha256: adapterSha256 },
    }),
  };
}

export function publishedFiles({
  encoder,
  decoder,
  voiceActivity,
  adapter,
}: PublishedModel): PublishedFile[] {
  return [encoder, decoder, voiceActivity, ...(adapter ? [adapter] : [])];
}

/** How to get a file back: packages are installed again, the weights of the project are part of its checkout. */
export function remedyFor(path: string): string {
  return dirname(path) === adapterFolder
    ? 'Restore it from the repository.'
    : 'Run npm ci in the project folder.';
}

export function isInstalled(packageName: string): boolean {
  return findPackage(packageName) !== undefined;
}

/** The version of onnxruntime, on which prepared graphs depend. */
export async function runtimeVersion(): Promise<string> {
  return JSON.parse(await readFile(join(packageFolder('onnxruntime-node'), 'package.json'), 'utf8')).version;
}

function packageFolder(name: string): string {
  const folder = findPackage(name);
  if (folder === undefined) {
    throw new Error(`The package ${name} is not installed. Run npm ci in the project folder.`);
  }
  return folder;
}

/** The folder of a package. Packages without a main file cannot be resolved by name alone. */
function findPackage(name: string): string | undefined {
  const folders = (resolvePackages.resolve.paths(name) ?? []).map((base) => join(base, name));
  return folders.find((folder) => resolvable(join(folder, 'package.json')));
}

function resolvable(path: string): boolean {
  try {
    resolvePackages.resolve(path);
    return true;
  } catch {
    return false;
  }
}
