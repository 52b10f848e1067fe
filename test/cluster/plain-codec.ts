import { deserialize, serialize } from 'node:v8';
import type { JobCodec } from '../../src/cluster/queue/job-codec.ts';

/** Plain data and typed arrays as they are. */
export function plainCodec<Job, Result>(): JobCodec<Job, Result> {
  return {
    maxJobBytes: 32 * 1024 * 1024,
    maxResultBytes: 32 * 1024 * 1024,
    packJob: serialize,
    unpackJob: deserialize,
    packResult: serialize,
    unpackResult: deserialize,
  };
}
