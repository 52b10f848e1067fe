import { readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildVoiceActivityGraph } from '../../src/model/graphs/voice-activity-graph.ts';
import { createVoiceActivity, type VoiceActivity } from '../../src/speech/windows/voice/voice-activity.ts';

export const publishedVoiceModel = join(
  createRequire(import.meta.url).resolve('@ricky0123/vad-web/package.json'),
  '../dist/silero_vad_v6.onnx',
);

/** The real network, built from the published weights as src/model does. */
export async function openVoiceActivity(): Promise<VoiceActivity> {
  const graphPath = join(tmpdir(), `siann-voice-${process.pid}.onnx`);
  await writeFile(graphPath, Buffer.concat(buildVoiceActivityGraph(await readFile(publishedVoiceModel))));
  try {
    return await createVoiceActivity({ graphPath });
  } finally {
    await rm(graphPath);
  }
}
