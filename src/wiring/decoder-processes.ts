import { availableParallelism } from 'node:os';
import { createDecoderPool, type DecoderPool } from '../decoding/decoder-pool.ts';
import type { PreparedModel } from '../model/prepare-model.ts';
import type { PoolLog } from '../pool/process-pool.ts';
import type { Config } from '../settings/config.ts';

/** One that dies or hangs leaves the other. More would only take the cores from recognition, which needs far more of them. */
const usualDecoders = 2;

/** The decoder processes of this machine. */
export function startDecoders(
  config: Pick<Config, 'decoders' | 'decoderMemoryMegabytes'>,
  { voiceActivityPath }: PreparedModel,
  log?: PoolLog,
): DecoderPool {
  return createDecoderPool({
    processes: config.decoders || Math.min(usualDecoders, availableParallelism()),
    voiceGraphPath: voiceActivityPath,
    memoryLimitBytes: config.decoderMemoryMegabytes * 1e6,
    ...(log && { log }),
  });
}
