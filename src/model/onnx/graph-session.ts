import { InferenceSession } from 'onnxruntime-node';

export type Graph = InferenceSession;

export type GraphOptions = {
  threads: number;
  optimization?: 'disabled' | 'basic' | 'extended' | 'all';
  memoryPattern?: boolean;
  memoryArena?: boolean;
  /** Leave the cores to other graphs as soon as a run has ended; otherwise the threads spin for a while, waiting for more work. */
  yieldCores?: boolean;
};

/** Opens an ONNX graph on the CPU, one operator after another, each spread over `threads`. */
export function openGraph(path: string, options: GraphOptions): Promise<Graph> {
  // onnxruntime reports every session to its makers unless this is set.
  process.env.ORT_DISABLE_TELEMETRY = '1';
  return InferenceSession.create(path, {
    executionProviders: ['cpu'],
    executionMode: 'sequential',
    graphOptimizationLevel: options.optimization ?? 'all',
    intraOpNumThreads: options.threads,
    interOpNumThreads: 1,
    enableMemPattern: options.memoryPattern ?? false,
    enableCpuMemArena: options.memoryArena ?? true,
    extra: { session: { force_spinning_stop: options.yieldCores ? '1' : '0' } },
  });
}
