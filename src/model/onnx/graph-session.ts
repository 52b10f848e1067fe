import { InferenceSession } from 'onnxruntime-node';

export type Graph = InferenceSession;

export type GraphOptions = {
  threads: number;
  optimization?: 'disabled' | 'basic' | 'extended' | 'all';
  memoryPattern?: boolean;
  memoryArena?: boolean;
  /** Leave the cores to the next graph as soon as a run has ended; otherwise threads look out for more work for a while. */
  yieldCores?: boolean;
};

/** Opens an ONNX graph on the CPU, one operator after another, each spread over `threads`. */
export function openGraph(path: string, options: GraphOptions): Promise<Graph> {
  // onnxruntime tells its makers about every session unless it is told not to; from here nobody is told anything.
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
