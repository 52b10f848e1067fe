import { stat } from 'node:fs/promises';
import { type ModelId, modelIds, publishedModel } from './catalogue.ts';
import { findPrepared } from './prepared-cache.ts';

export type ModelListing = {
  id: ModelId;
  packageName: string;
  version: string;
  installed: boolean;
  prepared: boolean;
  bytesOnDisk: number;
  memoryBytes: number;
};

/** Every model there is, whether it can be used, and what it costs. */
export function listModels(cacheFolder: string): Promise<ModelListing[]> {
  return Promise.all(
    modelIds.map(async (id) => {
      const model = publishedModel(id);
      const sizes = await Promise.all([model.encoder, model.decoder].map(({ path }) => sizeOf(path)));
      const prepared = await findPrepared(model, cacheFolder);
      const preparedSizes = Object.values(prepared?.files ?? {}).map(({ bytes }) => bytes);
      return {
        id,
        packageName: model.packageName,
        version: model.version,
        installed: sizes.every((size) => size > 0),
        prepared: prepared !== undefined,
        bytesOnDisk: [...sizes, ...preparedSizes].reduce((sum, size) => sum + size, 0),
        memoryBytes: model.memoryBytes,
      };
    }),
  );
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
