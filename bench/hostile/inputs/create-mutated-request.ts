import { createRandom } from '../../../evaluation/random.ts';
import { hostileMedia } from './hostile-media.ts';
import { mutatedAudio } from './mutated-audio.ts';
import { mutatedForm } from './mutated-form.ts';
import { mutatedHead } from './mutated-head.ts';
import { mutatedJson } from './mutated-json.ts';
import type { MutatedRequest, RequestContext } from './mutated-request.ts';
import { mutatedStream } from './mutated-stream.ts';

const families: { weight: number; create(context: RequestContext): MutatedRequest }[] = [
  { weight: 20, create: mutatedHead },
  { weight: 20, create: mutatedForm },
  { weight: 20, create: mutatedAudio },
  { weight: 10, create: hostileMedia },
  { weight: 10, create: mutatedJson },
  { weight: 20, create: mutatedStream },
];
const totalWeight = families.reduce((sum, { weight }) => sum + weight, 0);

/** The same for the same seed and index, whatever came before: one that fails can be sent again alone. */
export function createMutatedRequest(
  { seed, index }: { seed: number; index: number },
  keys: { key: string; otherKey: string },
): MutatedRequest {
  const random = createRandom(seed * 1_000_003 + index);
  let draw = random.below(totalWeight);
  const family = families.find(({ weight }) => {
    draw -= weight;
    return draw < 0;
  })!;
  const request = family.create({ random, ...keys });
  return random.next() < 0.1 ? { ...request, pieceBytes: 1 + random.below(3000) } : request;
}
