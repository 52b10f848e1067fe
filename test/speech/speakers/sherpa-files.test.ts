import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { GraphBuilder } from '../../../src/model/onnx/graph-builder.ts';
import { MessageWriter } from '../../../src/model/onnx/protobuf.ts';
import { findSherpaFiles } from '../../../src/speech/speakers/sherpa-files.ts';
import { createSherpaSpeakerModel } from '../../../src/speech/speakers/sherpa-speaker-model.ts';

const segmentationNotes = ['num_speakers', 'powerset_max_classes', 'window_size'];
const embeddingNotes = ['framework', 'output_dim'];

test('both files are found when each is of its kind', async (context) => {
  const folder = await folderWith(context, {
    'segmentation.onnx': model(segmentationNotes),
    'embedding.onnx': model(embeddingNotes),
  });
  assert.deepEqual(await findSherpaFiles(folder), {
    segmentation: join(folder, 'segmentation.onnx'),
    embedding: join(folder, 'embedding.onnx'),
  });
});

test('a missing file is named, with what belongs there', async (context) => {
  const folder = await folderWith(context, { 'segmentation.onnx': model(segmentationNotes) });
  await assert.rejects(
    findSherpaFiles(folder),
    /embedding\.onnx does not exist\. Put a speaker embedding model/,
  );
  await assert.rejects(findSherpaFiles(join(folder, 'nowhere')), /segmentation\.onnx does not exist/);
});

test('a file that is no model, and a model of another kind, are told apart', async (context) => {
  const garbled = await folderWith(context, { 'segmentation.onnx': Buffer.from('<!doctype html>') });
  await assert.rejects(findSherpaFiles(garbled), /segmentation\.onnx is not an ONNX file/);
  const swapped = await folderWith(context, {
    'segmentation.onnx': model(embeddingNotes),
    'embedding.onnx': model(segmentationNotes),
  });
  await assert.rejects(findSherpaFiles(swapped), /segmentation\.onnx is not a pyannote segmentation model/);
});

test('no process is started for a folder that cannot be used', async (context) => {
  const folder = await folderWith(context, {});
  await assert.rejects(createSherpaSpeakerModel({ folder, threads: 1 }), /leave SIANN_SPEAKER_MODEL out/);
});

test('files that pass for models and are none fail the request, not the service', {
  timeout: 120_000,
}, async (context) => {
  const folder = await folderWith(context, {
    'segmentation.onnx': model(segmentationNotes),
    'embedding.onnx': model(embeddingNotes),
  });
  await using sherpa = await createSherpaSpeakerModel({ folder, threads: 1 });
  const heard = sherpa.embed(
    { audio: new Float32Array(16_000), speech: [{ startSeconds: 0, endSeconds: 1 }] },
    { requestId: 'request', priority: 'file' },
  );
  await assert.rejects(heard, { code: 'internal_error' });
});

function model(notes: string[]): Buffer {
  const graph = new GraphBuilder();
  graph.nodeTo(['output'], 'Identity', [graph.input('input', 'float32', [1])]);
  graph.output('output', 'float32', [1]);
  const written = new MessageWriter();
  for (const note of notes) written.message(14, new MessageWriter().string(1, note).string(2, '1'));
  return Buffer.concat([...graph.model('test'), ...written.pieces]);
}

async function folderWith(
  context: { after(fn: () => Promise<void>): void },
  files: Record<string, Uint8Array>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'siann-speakers-'));
  context.after(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}
