import { alignUnits, toUnits } from '../../evaluation/scoring.ts';
import { joinText } from '../../src/speech/text/join-text.ts';
import type { SessionEvent, TranscriptEvent } from '../../wire/stream-events.ts';

/** What a listener saw of one recording, in seconds since its first sample was spoken. */
export type Seen = { event: SessionEvent; atSeconds: number }[];

export type CaptionFigures = {
  /** After the speaker began. */
  firstPartial: number | undefined;
  /** After the speaker's pause had lasted for the endpointing time. */
  finals: number[];
  /** At every tenth of a second of speech: how old the last shown word was. */
  behind: number[];
  shown: number;
  changed: number;
  text: string;
};

const lookEverySeconds = 0.1;

export function captionFigures(seen: Seen, endpointingSeconds: number): CaptionFigures {
  const transcripts = seen.flatMap(({ event, atSeconds }) =>
    event.type === 'transcript' ? [{ event, atSeconds }] : [],
  );
  const events = transcripts.map(({ event }) => event);
  const begun = seen.flatMap(({ event }) => (event.type === 'speech.started' ? [event.at] : []))[0];
  const first = transcripts.find(({ event }) => event.text !== '');
  const finals = transcripts.filter(({ event }) => event.is_final && event.text !== '');
  return {
    firstPartial: first && begun !== undefined ? first.atSeconds - begun : undefined,
    finals: finals
      .filter(({ event }) => event.speech_final && !event.from_finalize)
      .map(({ event, atSeconds }) => Math.max(0, atSeconds - event.end - endpointingSeconds)),
    behind: lags(transcripts),
    ...comparePartials(events),
    text: joinText(finals.map(({ event }) => event.text)),
  };
}

/** While somebody speaks, the text on the screen reaches up to `end` of the newest event. */
function lags(transcripts: { event: TranscriptEvent; atSeconds: number }[]): number[] {
  const found: number[] = [];
  const shown = transcripts.filter(({ event }) => event.text !== '');
  for (const { event: final } of shown.filter(({ event }) => event.is_final)) {
    for (let now = final.start + lookEverySeconds; now < final.end; now += lookEverySeconds) {
      const newest = shown.findLast(({ atSeconds }) => atSeconds <= now);
      found.push(now - Math.max(final.start, newest?.event.end ?? 0));
    }
  }
  return found;
}

/** Units of partials, each counted when it is shown first, and those that the final has otherwise. */
function comparePartials(events: TranscriptEvent[]): { shown: number; changed: number } {
  let [shown, changed] = [0, 0];
  for (const final of events.filter(({ is_final }) => is_final)) {
    const following = events.find((event) => event.is_final && event.segment_id === final.segment_id + 1);
    const end = toUnits(joinText([final.text, following?.text ?? '']));
    let before: string[] = [];
    for (const partial of events) {
      if (partial.is_final || partial.segment_id !== final.segment_id) continue;
      const units = toUnits(partial.text);
      let same = 0;
      while (same < before.length && same < units.length && before[same] === units[same]) same++;
      const fresh = units.length - same;
      shown += fresh;
      const wrong = wrongUnits(units, end) - wrongUnits(units.slice(0, same), end);
      changed += Math.max(0, Math.min(fresh, wrong));
      before = units;
    }
  }
  return { shown, changed };
}

function wrongUnits(units: string[], end: string[]): number {
  const { substitutions, deletions } = alignUnits(units, end.slice(0, units.length));
  return substitutions + deletions;
}

/** The value below which that part of them lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
