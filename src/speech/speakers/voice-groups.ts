import { setImmediate } from 'node:timers/promises';
import type { VoicePrint } from './speaker-model.ts';

/** Prints that sound like one voice: how many, and the sum of their directions. */
export type VoiceGroup = { count: number; sum: Float32Array };

export type GroupOptions = {
  sameSpeakerLikeness: number;
  /** Exactly so many groups, if there are so many prints. */
  groups?: number;
};

/** So many are compared with one another at once: about two and a half minutes of speech, and some ten milliseconds. */
const blockPrints = 300;
/** Groups that a block may leave over: more than there are speakers, so that strays do not spoil the others. */
const groupsPerBlock = 20;

/**
 * Joins the two groups that are most alike on average until none are alike enough. For directions of length one, the average
 * likeness of two groups is the product of their means, so that a group needs only its sum: long recordings are grouped
 * block by block, and then the groups of all blocks, in the same way. Between blocks others may work.
 */
export async function groupVoices(
  prints: readonly VoicePrint[],
  { sameSpeakerLikeness, groups: wanted }: GroupOptions,
): Promise<VoiceGroup[]> {
  let groups: VoiceGroup[] = prints.map(({ direction }) => ({ count: 1, sum: direction }));
  while (groups.length > blockPrints) {
    const joined: VoiceGroup[] = [];
    for (let first = 0; first < groups.length; first += blockPrints) {
      const block = groups.slice(first, first + blockPrints);
      joined.push(...joinAlike(block, { sameSpeakerLikeness, most: groupsPerBlock, least: 1 }));
      await setImmediate();
    }
    groups = joined;
  }
  return wanted === undefined
    ? joinAlike(groups, { sameSpeakerLikeness, most: Number.POSITIVE_INFINITY, least: 1 })
    : joinAlike(groups, { sameSpeakerLikeness, most: wanted, least: wanted });
}

type JoinOptions = {
  sameSpeakerLikeness: number;
  /** Down to so many, also what is not alike is joined. */
  most: number;
  /** Below so many, nothing is. */
  least: number;
};

function joinAlike(
  given: readonly VoiceGroup[],
  { sameSpeakerLikeness, most, least }: JoinOptions,
): VoiceGroup[] {
  const groups: (VoiceGroup | undefined)[] = [...given];
  const total = groups.length;
  // Products of the sums; those of a joined group are the sums of its parts' products.
  const products = given.map((group, index) => {
    const row = new Float64Array(total);
    for (let other = 0; other < index; other++) row[other] = dot(group.sum, given[other]!.sum);
    return row;
  });
  for (const [index, row] of products.entries()) {
    for (let other = index + 1; other < total; other++) row[other] = products[other]![index]!;
  }
  const likeness = (a: number, b: number) => products[a]![b]! / (groups[a]!.count * groups[b]!.count);
  const nearest = (index: number) => {
    let best = -1;
    for (let other = 0; other < total; other++) {
      if (other === index || !groups[other]) continue;
      if (best < 0 || likeness(index, other) > likeness(index, best)) best = other;
    }
    return best;
  };

  const nearestTo = given.map((_, index) => nearest(index));
  for (let left = total; left > least; left--) {
    let first = -1;
    for (let index = 0; index < total; index++) {
      if (!groups[index]) continue;
      if (first < 0 || likeness(index, nearestTo[index]!) > likeness(first, nearestTo[first]!)) first = index;
    }
    const second = nearestTo[first]!;
    if (likeness(first, second) < sameSpeakerLikeness && left <= most) break;
    join(first, second);
  }
  return groups.filter((group) => group !== undefined);

  function join(first: number, second: number): void {
    const [kept, gone] = [groups[first]!, groups[second]!];
    groups[first] = {
      count: kept.count + gone.count,
      sum: kept.sum.map((value, index) => value + gone.sum[index]!),
    };
    groups[second] = undefined;
    const [row, added] = [products[first]!, products[second]!];
    for (let other = 0; other < total; other++) {
      row[other]! += added[other]!;
      products[other]![first] = row[other]!;
    }
    for (let index = 0; index < total; index++) {
      if (!groups[index]) continue;
      if (index === first || nearestTo[index] === first || nearestTo[index] === second) {
        nearestTo[index] = nearest(index);
      } else if (likeness(index, first) > likeness(index, nearestTo[index]!)) {
        nearestTo[index] = first;
      }
    }
  }
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += a[index]! * b[index]!;
  return sum;
}
