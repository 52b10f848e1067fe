import { stat } from 'node:fs/promises';
import { isInstalled, type ModelId, modelIds, modelPackage, publishedModel } from './catalogue.ts';
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
  return Promise.all(modelIds.map((id) => list(id, cacheFolder)));
}

async function list(id: ModelId, cacheFolder: string): Promise<ModelListing> {
  const { packageName, version, memoryBytes } = modelPackage(id);
  const listing = {
    id,
    packageName,
    version,
    installed: false,
    prepared: false,
    bytesOnDisk: 0,
    memoryBytes,
  };
  if (!isInstalled(packageName)) return listing;
  const model = publishedModel(id);
  const sizes = await Promise.all([model.encoder, model.decoder].map(({ path }) => sizeOf(path)));
  const prepared = await findPrepared(model, cacheFolder);
  const preparedSizes = Object.values(prepared?.files ?? {}).map(({ bytes }) => bytes);
  return {
    ...listing,
    installed: sizes.every((size) => size > 0),
    prepared: prepared !== undefined,
    bytesOnDisk: [...sizes, ...preparedSizes].reduce((sum, size) => sum + size, 0),
  };
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
