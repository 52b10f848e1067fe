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
for (const integers of kinds) {
  const onProgress = ({ step }: { step: string }) => console.log(`${model}, ${integers}: ${step}`);
  await prepareModel({ model, cacheFolder, integers, onProgress });
}

/** Always the same, and in whole seconds as layers keep them: the same model is the same layer, and no start has to sum it. */
const time = new Date('2026-01-01T00:00:00Z');
const first = new Map<string, string>();
for (const integers of kinds) {
  await fitForImage((await findPrepared(publishedModel(model), cacheFolder, 'int8', integers))!);
}
await utimes(cacheFolder, time, time);

/** What kinds have in common is stored once. */
async function fitForImage({ folder, files }: PreparedFolder): Promise<void> {
  for (const [name, file] of Object.entries(files)) {
    const path = join(folder, name);
    const same = first.get(file.sha256);
    if (same) {
      await rm(path);
      await link(same, path);
    } else first.set(file.sha256, path);
    await utimes(path, time, time);
    file.modified = time.getTime();
  }
  const manifest = join(folder, 'manifest.json');
  await writeFile(manifest, JSON.stringify(files, undefined, 2));
  await utimes(manifest, time, time);
  await utimes(folder, time, time);
}

function isModel(name: string): name is ModelId {
  return modelIds.some((id) => id === name);
}
