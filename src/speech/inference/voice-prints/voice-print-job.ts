import { Tensor } from 'onnxruntime-node';
import { pcmSampleRate } from '../../../audio/pcm.ts';
import { type Graph, openGraph } from '../../../model/onnx/graph-session.ts';
import type { JobRunner } from '../../../pool/process/job-runner.ts';
import {
  embeddingWidth,
  type VoicePrintJob,
  type VoicePrintResult,
  type VoicePrintSettings,
} from '../../speakers/voice-print-messages.ts';
import type { SpokenStretch } from '../../windows/speech-window.ts';
import { createLogMel, hopSamples, type LogMel, melBands } from '../features/log-mel.ts';

/** Stretches of one length go through the network together, at most this many. */
const batchSize = 16;

/** Loaded in the process that takes voice prints. */
export async function createJobRunner(
  settings: VoicePrintSettings,
): Promise<JobRunner<VoicePrintJob, VoicePrintResult>> {
  const graph = await openGraph(settings.graphPath, { threads: settings.threads, yieldCores: true });
  const logMel = createLogMel();
  return { run: (job, signal) => takePrints(graph, logMel, job, signal) };
}

async function takePrints(
  graph: Graph,
  logMel: LogMel,
  { audio, stretches }: VoicePrintJob,
  signal: AbortSignal,
): Promise<VoicePrintResult> {
  const embeddings = new Float32Array(stretches.length * embeddingWidth);
  const byLength = new Map<number, number[]>();
  for (const [index, stretch] of stretches.entries()) {
    const frames = framesOf(stretch);
    byLength.set(frames, [...(byLength.get(frames) ?? []), index]);
  }
  for (const [frames, indices] of byLength) {
    for (let first = 0; first < indices.length; first += batchSize) {
      signal.throwIfAborted();
      const batch = indices.slice(first, first + batchSize);
      const features = new Float32Array(batch.length * melBands * frames);
      for (const [row, index] of batch.entries()) {
        const start = Math.round(stretches[index]!.startSeconds * pcmSampleRate);
        const piece = audio.subarray(start, start + frames * hopSamples);
        features.set(logMel(piece, frames), row * melBands * frames);
      }
      const input = new Tensor('float32', features, [batch.length, melBands, frames]);
      const output = (await graph.run({ features: input })).directions!.data as Float32Array;
      for (const [row, index] of batch.entries()) {
        const embedding = output.subarray(row * embeddingWidth, (row + 1) * embeddingWidth);
        embeddings.set(embedding, index * embeddingWidth);
      }
    }
  }
  return { embeddings };
}

function framesOf({ startSeconds, endSeconds }: SpokenStretch): number {
  return Math.max(1, Math.floor(((endSeconds - startSeconds) * pcmSampleRate) / hopSamples + 1e-6));
}
