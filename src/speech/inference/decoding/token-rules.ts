import { timestampSeconds, type Vocabulary } from './vocabulary.ts';

/** One step's choice. */
export type TokenChoice = { token: number; logProbability: number };

export type TokenRules = {
  /** Chooses the next token after `tokens`; `row` holds log-probabilities and is changed. */
  choose(row: Float32Array, tokens: readonly number[], options: ChoiceOptions): TokenChoice;
};

export type ChoiceOptions = {
  /** Length of the audio in the window: no timestamp lies beyond it. */
  audioSeconds: number;
  /** 0 takes the likeliest token; above 0 draws one. */
  temperature: number;
  random: () => number;
};

/** How late the first words may begin. */
const latestStartSeconds = 1;
/** A timestamp this near to the end of the audio ends the text: what follows would be invented. */
const endToleranceSeconds = 0.3;

/** Whisper's own rules for timestamps (openai/whisper, decoding.py), plus an end where the audio ends. */
export function createTokenRules(vocabulary: Vocabulary): TokenRules {
  const { endOfText, firstTimestamp } = vocabulary;

  return {
    choose(row, tokens, { audioSeconds, temperature, random }) {
      for (const token of vocabulary.suppressed) row[token] = Number.NEGATIVE_INFINITY;
      const [earliest, latest] = allowedTimestamps(tokens, audioSeconds);
      let textAllowed = true;
      let timestampsAllowed = earliest <= latest;
      let endAllowed = true;
      const last = tokens.at(-1);
      if (last === undefined) {
        for (const token of vocabulary.suppressedAtStart) row[token] = Number.NEGATIVE_INFINITY;
        textAllowed = false;
        endAllowed = false;
      } else if (last >= firstTimestamp) {
        const before = tokens.at(-2);
        const opensText = before === undefined || before >= firstTimestamp;
        if (opensText) timestampsAllowed = false;
        else if ((last - firstTimestamp) * timestampSeconds >= audioSeconds - endToleranceSeconds)
          return end(row);
        else textAllowed = false;
        endAllowed = !opensText || before !== undefined;
      }
      if (!endAllowed) row[endOfText] = Number.NEGATIVE_INFINITY;
      if (textAllowed && timestampsAllowed && timestampsOutweighText(row, earliest, latest)) {
        textAllowed = false;
        row[endOfText] = Number.NEGATIVE_INFINITY;
      }
      const ranges: [number, number][] = [];
      if (textAllowed) ranges.push([0, endOfText - 1]);
      if (timestampsAllowed) ranges.push([earliest, latest]);
      ranges.push([endOfText, endOfText]);
      return temperature === 0 ? likeliest(row, ranges) : draw(row, ranges, temperature, random);
    },
  };

  function end(row: Float32Array): TokenChoice {
    return { token: endOfText, logProbability: row[endOfText]! };
  }

  /** Times never run backwards, and a new stretch of text has some length. */
  function allowedTimestamps(tokens: readonly number[], audioSeconds: number): [number, number] {
    const lastOfAudio = firstTimestamp + Math.ceil(audioSeconds / timestampSeconds);
    if (tokens.length === 0)
      return [firstTimestamp, Math.min(lastOfAudio, firstTimestamp + latestStartSeconds / timestampSeconds)];
    const previous = tokens.findLast((token) => token >= firstTimestamp);
    if (previous === undefined) return [firstTimestamp, lastOfAudio];
    const closes = tokens.at(-1) === previous;
    return [closes ? previous : previous + 1, lastOfAudio];
  }

  /** When all timestamps together are likelier than any one word, it is time for a timestamp. */
  function timestampsOutweighText(row: Float32Array, earliest: number, latest: number): boolean {
    let sum = 0;
    for (let token = earliest; token <= latest; token++) sum += Math.exp(row[token]!);
    return Math.log(sum) > likeliest(row, [[0, endOfText - 1]]).logProbability;
  }
}

function likeliest(row: Float32Array, ranges: [number, number][]): TokenChoice {
  let best = ranges[0]![0];
  for (const [first, last] of ranges) {
    for (let token = first; token <= last; token++) if (row[token]! > row[best]!) best = token;
  }
  return { token: best, logProbability: row[best]! };
}

function draw(
  row: Float32Array,
  ranges: [number, number][],
  temperature: number,
  random: () => number,
): TokenChoice {
  const top = likeliest(row, ranges).logProbability;
  let total = 0;
  for (const [first, last] of ranges) {
    for (let token = first; token <= last; token++) total += Math.exp((row[token]! - top) / temperature);
  }
  let rest = random() * total;
  for (const [first, last] of ranges) {
    for (let token = first; token <= last; token++) {
      rest -= Math.exp((row[token]! - top) / temperature);
      if (rest < 0) return { token, logProbability: row[token]! };
    }
  }
  return likeliest(row, ranges);
}
