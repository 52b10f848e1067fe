import { setImmediate } from 'node:timers/promises';
import type { VoicePrint } from './speaker-model.ts';

/** Prints that sound like one voice: how many, and the sum of their embeddings. */
export type VoiceGroup = { count: number; sum: Float32Array };

export type GroupOptions = {
  /** How alike two groups must be on average to be joined; it may depend on how many prints they have. */
  required: number | ((firstCount: number, secondCount: number) => number);
  /** Exactly this many groups, if there are as many prints. */
  groups?: number;
};

/** So many are compared with one another at once, which takes some ten milliseconds. */
const blockGroups = 300;
/** About three seconds. */
const runPrints = 5;
/** A block is joined down to this many groups: more than there are speakers, so that stray prints do not spoil the others. */
const groupsPerBlock = 20;

/**
 * Joins the two groups that are most alike on average until none are alike enough. For embeddings of length one, the average
 * likeness of two groups is the product of their means, so that a group needs only its sum. Long recordings are grouped block by
 * block, and then the groups of all blocks in the same way. Between blocks the event loop is free for others.
 */
export async function groupVoices(
  given: readonly VoiceGroup[],
  { required, groups: wanted }: GroupOptions,
): Promise<VoiceGroup[]> {
  let groups = [...given];
  while (groups.length > blockGroups) {
    const joined: VoiceGroup[] = [];
    for (let first = 0; first < groups.length; first += blockGroups) {
      const block = groups.slice(first, first + blockGroups);
      joined.push(...joinAlike(block, { required, most: groupsPerBlock, least: 1 }));
      await setImmediate();
    }
    groups = joined;
  }
  return wanted === undefined
    ? joinAlike(groups, { required, most: Number.POSITIVE_INFINITY, least: 1 })
    : joinAlike(groups, { required, most: wanted, least: wanted });
}

/**
 * Prints that follow each other closely and are alike: a few seconds of one voice are known far better than one print of it.
 * Where the speaker changes in the middle of speech, a run ends.
 */
export function groupRuns(prints: readonly VoicePrint[], sameSpeakerLikeness: number): VoiceGroup[] {
  const groups: VoiceGroup[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const { startSeconds, endSeconds, embedding } of prints) {
    const last = groups.at(-1);
    const goesOn = startSeconds < end && last !== undefined && last.count < runPrints;
    if (goesOn && dot(last.sum, embedding) / last.count > sameSpeakerLikeness) addTo(last, embedding);
    else groups.push({ count: 1, sum: embedding.slice() });
    end = endSeconds;
  }
  return groups;
}

export function addTo(group: VoiceGroup, embedding: Float32Array): void {
  group.count++;
  for (let index = 0; index < embedding.length; index++) group.sum[index]! += embedding[index]!;
}

type JoinOptions = {
  required: GroupOptions['required'];
  /** While there are more groups than this, groups are joined even if they are not alike. */
  most: number;
  /** At this many groups, joining stops. */
  least: number;
};

function joinAlike(given: readonly VoiceGroup[], { required, most, least }: JoinOptions): VoiceGroup[] {
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
  const requiredOf = typeof required === 'number' ? () => required : required;
  /** How much more alike two groups are than they must be. */
  const likeness = (a: number, b: number) => {
    const [first, second] = [groups[a]!.count, groups[b]!.count];
    return products[a]![b]! / (first * second) - requiredOf(first, second);
  };
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
    if (likeness(first, second) < 0 && left <= most) break;
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
