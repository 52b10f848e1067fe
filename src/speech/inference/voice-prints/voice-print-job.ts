import { Tensor } from 'onnxruntime-node';
import { pcmSampleRate } from '../../../audio/pcm.ts';
import { type Graph, openGraph } from '../../../model/onnx/graph-session.ts';
import type { JobRunner } from '../../../pool/process/job-runner.ts';
import {
  directionWidth,
  type VoicePrintJob,
  type VoicePrintResult,
  type VoicePrintSettings,
} from '../../speakers/voice-print-messages.ts';
import type { SpokenStretch } from '../../windows/speech-window.ts';
import { createLogMel, hopSamples, type LogMel, melBands } from '../features/log-mel.ts';

/** Places of one length are heard together, this many at most. */
const batchSize = 16;

/** Loaded in the process that hears voices. */
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
  { audio, places }: VoicePrintJob,
  signal: AbortSignal,
): Promise<VoicePrintResult> {
  const directions = new Float32Array(places.length * directionWidth);
  const byLength = new Map<number, number[]>();
  for (const [index, place] of places.entries()) {
    const frames = framesOf(place);
    byLength.set(frames, [...(byLength.get(frames) ?? []), index]);
  }
  for (const [frames, indices] of byLength) {
    for (let first = 0; first < indices.length; first += batchSize) {
      signal.throwIfAborted();
      const batch = indices.slice(first, first + batchSize);
      const features = new Float32Array(batch.length * melBands * frames);
      for (const [row, index] of batch.entries()) {
        const start = Math.round(places[index]!.startSeconds * pcmSampleRate);
        const piece = audio.subarray(start, start + frames * hopSamples);
        features.set(logMel(piece, frames), row * melBands * frames);
      }
      const input = new Tensor('float32', features, [batch.length, melBands, frames]);
      const output = (await graph.run({ features: input })).directions!.data as Float32Array;
      for (const [row, index] of batch.entries()) {
        const direction = output.subarray(row * directionWidth, (row + 1) * directionWidth);
        directions.set(direction, index * directionWidth);
      }
    }
  }
  return { directions };
}

function framesOf({ startSeconds, endSeconds }: SpokenStretch): number {
  return Math.max(1, Math.floor(((endSeconds - startSeconds) * pcmSampleRate) / hopSamples + 1e-6));
}
