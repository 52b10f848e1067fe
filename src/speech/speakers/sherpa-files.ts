import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFields } from '../../model/onnx/protobuf.ts';

export type SherpaFiles = { segmentation: string; embedding: string };

/** What its process is told when it starts. */
export type SherpaSettings = { files: SherpaFiles; threads: number };

/** The metadata that sherpa-onnx reads from each file. Without it, sherpa-onnx ends its process, so it is checked first. */
const kinds = {
  segmentation: {
    metadata: ['num_speakers', 'powerset_max_classes', 'window_size'],
    what: 'a pyannote segmentation model',
  },
  embedding: {
    metadata: ['framework', 'output_dim'],
    what: 'a speaker embedding model (WeSpeaker, 3D-Speaker, NeMo)',
  },
} as const;

/** The two files in the folder that the operator names, each known to be of its kind. Throws a sentence that says what to do. */
export async function findSherpaFiles(folder: string): Promise<SherpaFiles> {
  const files = {
    segmentation: join(folder, 'segmentation.onnx'),
    embedding: join(folder, 'embedding.onnx'),
  };
  for (const kind of ['segmentation', 'embedding'] as const) await checkFile(files[kind], kind);
  return files;
}

async function checkFile(path: string, kind: keyof typeof kinds): Promise<void> {
  const { metadata, what } = kinds[kind];
  const advice = `Put ${what} there, as sherpa-onnx publishes them, or leave SIANN_SPEAKER_MODEL out.`;
  const content = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    const missing = cause.code === 'ENOENT' || cause.code === 'ENOTDIR';
    throw new Error(`${path} ${missing ? 'does not exist' : 'cannot be read'}. ${advice}`, { cause });
  });
  const found = readMetadataNames(content);
  if (!found) throw new Error(`${path} is not an ONNX file. ${advice}`);
  if (metadata.some((name) => !found.has(name))) throw new Error(`${path} is not ${what}. ${advice}`);
}

/** The names of a model's metadata (`metadata_props`); undefined when the file is not an ONNX model. */
function readMetadataNames(content: Uint8Array): Set<string> | undefined {
  const names = new Set<string>();
  let hasGraph = false;
  try {
    for (const field of readFields(content)) {
      if (field.number === 7) hasGraph = true;
      if (field.number !== 14) continue;
      for (const entry of readFields(field.bytes)) {
        if (entry.number === 1) names.add(new TextDecoder().decode(entry.bytes));
      }
    }
  } catch {
    return undefined;
  }
  return hasGraph ? names : undefined;
}
