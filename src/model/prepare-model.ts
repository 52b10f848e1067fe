import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  type AdapterChoice,
  type ModelId,
  type PublishedFile,
  type PublishedModel,
  publishedFiles,
  publishedModel,
  remedyFor,
} from './catalogue.ts';
import { type IntegerKind, integerKind } from './integer-kind.ts';
import type { Precision } from './precision.ts';
import {
  fileSha256,
  findPrepared,
  isUndamaged,
  type PreparedFolder,
  PreparedWriter,
  preparedName,
  removeStale,
} from './prepared-cache.ts';
import { encoderNames, preparedGraphs } from './prepared-graphs.ts';
import { addAdapter } from './weights/adapter.ts';
import { readPublishedWeights } from './weights/published-weights.ts';
import { readWhisperShape } from './whisper-shape.ts';

/** Everything that the recogniser opens. */
export type PreparedModel = {
  id: ModelId;
  /** The parts of the encoder, in the order in which they are run. */
  encoderPaths: string[];
  decoderPath: string;
  voiceActivityPath: string;
  /** Folder of the published model, with its vocabulary and dimensions. */
  modelFolder: string;
  integers: IntegerKind;
  /** The adapter is part of it: it knows Taiwanese, and can do with short contexts. */
  adapted: boolean;
};

export type PrepareOptions = {
  model: ModelId;
  adapter?: AdapterChoice;
  precision?: Precision;
  /** By default the kind that this processor needs; an image is made on one machine and runs on others. */
  integers?: IntegerKind;
  cacheFolder: string;
  onProgress?: (progress: PrepareProgress) => void;
};

export type PrepareProgress = { step: string; fraction: number };

/** Finds the prepared graphs, or makes them from the published weights. */
export async function prepareModel({
  model: id,
  adapter,
  precision = 'int8',
  integers = integerKind(),
  cacheFolder,
  onProgress,
}: PrepareOptions): Promise<PreparedModel> {
  const model = publishedModel(id, adapter);
  await mkdir(cacheFolder, { recursive: true });
  const usable = async () => {
    const found = await findPrepared(model, cacheFolder, precision, integers);
    return found && (await isUndamaged(found)) ? found : undefined;
  };
  const report = async (step: string, fraction: number) => {
    onProgress?.({ step, fraction });
    await setImmediate(); // lets the progress bar be drawn before the next piece of work
  };
  const prepared = (await usable()) ?? (await make());
  return {
    id,
    encoderPaths: encoderNames(await readWhisperShape(model.folder)).map((name) =>
      join(prepared.folder, `${name}.onnx`),
    ),
    decoderPath: join(prepared.folder, 'decoder.onnx'),
    voiceActivityPath: join(prepared.folder, 'voice-activity.onnx'),
    modelFolder: model.folder,
    integers,
    adapted: model.adapter !== undefined,
  };

  async function make(): Promise<PreparedFolder> {
    await report('Checking the weights', 0);
    await verifyWeights(model);
    const name = await preparedName(model, precision, integers);
    const writer = await PreparedWriter.open(cacheFolder, name);
    try {
      await report('Reading the weights', 0.1);
      const shape = await readWhisperShape(model.folder);
      const weights = await readPublishedWeights({
        encoder: model.encoder.path,
        decoder: model.decoder.path,
      });
      if (model.adapter) await addAdapter(weights, model.adapter.path, id);
      const voiceActivity = await readFile(model.voiceActivity.path);
      for (const graph of preparedGraphs({ weights, shape, integers, precision, voiceActivity })) {
        await report(graph.step, graph.fraction);
        for (const [file, pieces] of Object.entries(graph.build())) await writer.write(file, pieces);
      }
      const finished = await writer.finish(async () => (await usable()) !== undefined);
      await removeStale(cacheFolder, name);
      await report('Model ready', 1);
      return finished;
    } catch (error) {
      await writer.discard();
      throw error;
    }
  }
}

/** Throws a sentence that says what to do when a published file is missing or not what it should be. */
export async function verifyWeights(model: PublishedModel): Promise<void> {
  await Promise.all(publishedFiles(model).map(verify));
}

async function verify({ path, sha256 }: PublishedFile): Promise<void> {
  const remedy = remedyFor(path);
  const found = await fileSha256(path).catch((cause) => {
    throw new Error(`The weights at ${path} cannot be read. ${remedy}`, { cause });
  });
  if (found !== sha256) {
    throw new Error(`The weights at ${path} are damaged (SHA-256 ${found}, expected ${sha256}). ${remedy}`);
  }
}
