/** One speaker's stretch of speech, in the reference or in what was found. */
export type LabelledStretch = { startSeconds: number; endSeconds: number; speaker: string | number };

/** Seconds; the error rate is the sum of the three over the seconds of the reference. */
export type DiarizationError = {
  referenceSeconds: number;
  missedSeconds: number;
  falseAlarmSeconds: number;
  confusedSeconds: number;
  /** Which reference speaker each found one stands for. */
  mapping: Map<LabelledStretch['speaker'], LabelledStretch['speaker']>;
};

/**
 * The diarization error as NIST defines it (Rich Transcription 2009), without collar and with overlap: in each instant in which
 * the reference has n speakers and the hypothesis m, n − m are missed or m − n falsely heard, and of the smaller number those
 * are confused that do not stand for one of the n. Names are mapped so that the speakers share as much time as possible.
 */
export function diarizationError(
  reference: readonly LabelledStretch[],
  found: readonly LabelledStretch[],
): DiarizationError {
  const instants = cutAtEveryBoundary(reference, found);
  const mapping = bestMapping(instants);
  const error = { referenceSeconds: 0, missedSeconds: 0, falseAlarmSeconds: 0, confusedSeconds: 0, mapping };
  for (const { seconds, spoken, heard } of instants) {
    const right = [...heard].filter((name) => spoken.has(mapping.get(name)!)).length;
    error.referenceSeconds += seconds * spoken.size;
    error.missedSeconds += seconds * Math.max(0, spoken.size - heard.size);
    error.falseAlarmSeconds += seconds * Math.max(0, heard.size - spoken.size);
    error.confusedSeconds += seconds * (Math.min(spoken.size, heard.size) - right);
  }
  return error;
}

export function errorRate(errors: readonly DiarizationError[]): number {
  const total = (of: (error: DiarizationError) => number) => errors.reduce((sum, each) => sum + of(each), 0);
  const wrong = total((each) => each.missedSeconds + each.falseAlarmSeconds + each.confusedSeconds);
  return wrong / total((each) => each.referenceSeconds);
}

type Name = LabelledStretch['speaker'];
export type Instant = { seconds: number; spoken: Set<Name>; heard: Set<Name> };

/** Between two boundaries nothing changes. */
function cutAtEveryBoundary(
  reference: readonly LabelledStretch[],
  found: readonly LabelledStretch[],
): Instant[] {
  const boundaries = [...reference, ...found].flatMap(({ startSeconds, endSeconds }) => [
    startSeconds,
    endSeconds,
  ]);
  const times = [...new Set(boundaries)].sort((a, b) => a - b);
  return times.slice(0, -1).map((start, index) => {
    const end = times[index + 1]!;
    const during = (stretches: readonly LabelledStretch[]) =>
      new Set(
        stretches
          .filter((each) => each.startSeconds <= start && each.endSeconds >= end)
          .map((each) => each.speaker),
      );
    return { seconds: end - start, spoken: during(reference), heard: during(found) };
  });
}

/** Tries every assignment, remembering the best for each set of reference speakers already taken. */
export function bestMapping(instants: readonly Instant[]): Map<Name, Name> {
  const spoken = [...new Set(instants.flatMap((instant) => [...instant.spoken]))];
  const heard = [...new Set(instants.flatMap((instant) => [...instant.heard]))];
  const shared = heard.map(() => spoken.map(() => 0));
  for (const instant of instants) {
    for (const name of instant.heard)
      for (const other of instant.spoken)
        shared[heard.indexOf(name)]![spoken.indexOf(other)]! += instant.seconds;
  }
  type Choice = { seconds: number; chosen: number[] };
  let choices = new Map<number, Choice>([[0, { seconds: 0, chosen: [] }]]);
  for (const row of shared) {
    const next = new Map<number, Choice>();
    const offer = (taken: number, choice: Choice) => {
      if (choice.seconds > (next.get(taken)?.seconds ?? -1)) next.set(taken, choice);
    };
    for (const [taken, { seconds, chosen }] of choices) {
      offer(taken, { seconds, chosen: [...chosen, -1] });
      for (const [index, common] of row.entries()) {
        if (taken & (1 << index) || common === 0) continue;
        offer(taken | (1 << index), { seconds: seconds + common, chosen: [...chosen, index] });
      }
    }
    choices = next;
  }
  const best = [...choices.values()].reduce((a, b) => (b.seconds > a.seconds ? b : a));
  return new Map(
    heard.flatMap((name, row) => (best.chosen[row]! < 0 ? [] : [[name, spoken[best.chosen[row]!]!]])),
  );
}
