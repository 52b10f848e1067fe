// Prepares a model for every kind of processor that an image may run on: node --import tsx prepare-models.ts FOLDER [MODEL]
import { link, rm, utimes, writeFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { type ModelId, modelIds, publishedModel } from '../../src/model/catalogue.ts';
import { prepareModel } from '../../src/model/prepare-model.ts';
import { findPrepared, type PreparedFolder } from '../../src/model/prepared-cache.ts';

const [, , cacheFolder, model = 'small'] = process.argv;
if (!cacheFolder || !isModel(model)) {
  console.error(`Say where to, and which of ${modelIds.join(', ')}: prepare-models.ts FOLDER [MODEL]`);
  process.exit(2);
}

const kinds = arch() === 'x64' ? (['signed', 'unsigned'] as const) : (['signed'] as const);
const first = new Map<string, string>();
// One for all: files stored once have one time.
const madeAtSeconds = Math.floor(Date.now() / 1000);
for (const integers of kinds) {
  const onProgress = ({ step }: { step: string }) => console.log(`${model}, ${integers}: ${step}`);
  await prepareModel({ model, cacheFolder, integers, onProgress });
  await fitForImage((await findPrepared(publishedModel(model), cacheFolder, 'int8', integers))!);
}

/**
 * Files that all kinds have in common are stored once. Layers of an image keep whole seconds; with a time that survives,
 * no start has to sum what it reads.
 */
async function fitForImage({ folder, files }: PreparedFolder): Promise<void> {
  for (const [name, file] of Object.entries(files)) {
    const path = join(folder, name);
    const same = first.get(file.sha256);
    if (same) {
      await rm(path);
      await link(same, path);
    } else first.set(file.sha256, path);
    await utimes(path, madeAtSeconds, madeAtSeconds);
    file.modified = madeAtSeconds * 1000;
  }
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(files, undefined, 2));
}

function isModel(name: string): name is ModelId {
  return modelIds.some((id) => id === name);
}
