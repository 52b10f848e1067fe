import { timestampSeconds, type Vocabulary } from './vocabulary.ts';

/** The token chosen in one step. */
export type TokenChoice = { token: number; logProbability: number };

export type TokenRules = {
  /** Chooses the next token after `tokens`. The log-probabilities of what is not allowed are overwritten. */
  choose(logProbabilities: Float32Array, tokens: readonly number[], options: ChoiceOptions): TokenChoice;
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
    choose(logProbabilities, tokens, { audioSeconds, temperature, random }) {
      for (const token of vocabulary.suppressed) logProbabilities[token] = Number.NEGATIVE_INFINITY;
      const [earliest, latest] = allowedTimestamps(tokens, audioSeconds);
      let textAllowed = true;
      let timestampsAllowed = earliest <= latest;
      let endAllowed = true;
      const last = tokens.at(-1);
      if (last === undefined) {
        for (const token of vocabulary.suppressedAtStart) logProbabilities[token] = Number.NEGATIVE_INFINITY;
        textAllowed = false;
        endAllowed = false;
      } else if (last >= firstTimestamp) {
        const before = tokens.at(-2);
        const opensText = before === undefined || before >= firstTimestamp;
        if (opensText) timestampsAllowed = false;
        else if ((last - firstTimestamp) * timestampSeconds >= audioSeconds - endToleranceSeconds)
          return end(logProbabilities);
        else textAllowed = false;
        endAllowed = !opensText || before !== undefined;
      }
      if (!endAllowed) logProbabilities[endOfText] = Number.NEGATIVE_INFINITY;
      if (textAllowed && timestampsAllowed && timestampsOutweighText(logProbabilities, earliest, latest)) {
        textAllowed = false;
        logProbabilities[endOfText] = Number.NEGATIVE_INFINITY;
      }
      const ranges: [number, number][] = [];
      if (textAllowed) ranges.push([0, endOfText - 1]);
      if (timestampsAllowed) ranges.push([earliest, latest]);
      ranges.push([endOfText, endOfText]);
      return temperature === 0
        ? likeliest(logProbabilities, ranges)
        : draw(logProbabilities, ranges, temperature, random);
    },
  };

  function end(logProbabilities: Float32Array): TokenChoice {
    return { token: endOfText, logProbability: logProbabilities[endOfText]! };
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
  function timestampsOutweighText(logProbabilities: Float32Array, earliest: number, latest: number): boolean {
    let sum = 0;
    for (let token = earliest; token <= latest; token++) sum += Math.exp(logProbabilities[token]!);
    return Math.log(sum) > likeliest(logProbabilities, [[0, endOfText - 1]]).logProbability;
  }
}

function likeliest(logProbabilities: Float32Array, ranges: [number, number][]): TokenChoice {
  let best = ranges[0]![0];
  for (const [first, last] of ranges) {
    for (let token = first; token <= last; token++)
      if (logProbabilities[token]! > logProbabilities[best]!) best = token;
  }
  return { token: best, logProbability: logProbabilities[best]! };
}

function draw(
  logProbabilities: Float32Array,
  ranges: [number, number][],
  temperature: number,
  random: () => number,
): TokenChoice {
  const top = likeliest(logProbabilities, ranges).logProbability;
  let total = 0;
  for (const [first, last] of ranges) {
    for (let token = first; token <= last; token++)
      total += Math.exp((logProbabilities[token]! - top) / temperature);
  }
  let rest = random() * total;
  for (const [first, last] of ranges) {
    for (let token = first; token <= last; token++) {
      rest -= Math.exp((logProbabilities[token]! - top) / temperature);
      if (rest < 0) return { token, logProbability: logProbabilities[token]! };
    }
  }
  return likeliest(logProbabilities, ranges);
}
