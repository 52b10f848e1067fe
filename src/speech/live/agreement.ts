/** Decides which words of a hypothesis are shown: those that will probably stay when the speaker has gone on. */
export type Agreement = {
  /**
   * Takes the next hypothesis for the same utterance, longer by what was said meanwhile, and how likely its words are on
   * average; returns the text to show.
   */
  add(hypothesis: string, averageLogProbability: number): string;
};

/** The last words of a hypothesis may have been spoken only in part, and are held back. In a first hypothesis that is sure, it is one word. */
const heldBack = 2;
const heldBackWhenSure = 1;
const sureLogProbability = -1.3;

/**
 * What three hypotheses in a row agree on is shown (Liu et al. 2020, "Low-latency sequence-to-sequence speech recognition
 * and translation by partial hypothesis selection"), and stays shown until three in a row agree on something else.
 */
export function createAgreement(): Agreement {
  let previous: Unit[][] = [];
  let shown: Unit[] = [];
  return {
    add(hypothesis, averageLogProbability) {
      const units = unitsOf(hypothesis);
      const isSure = previous.length === 0 && averageLogProbability > sureLogProbability;
      const complete = units.slice(0, isSure ? -heldBackWhenSure : -heldBack);
      const agreed = previous.reduce((same, earlier) => common(earlier, same), complete);
      previous = [...previous, units].slice(-2);
      const stays = common(shown, agreed).length;
      if (stays === shown.length || stays < agreed.length) shown = agreed;
      return textOf(shown);
    },
  };
}

/** A Han character or a word of another script, with the space before it and the punctuation behind it. */
type Unit = { key: string; text: string };

function unitsOf(text: string): Unit[] {
  const pieces =
    text.match(
      /[\s\p{P}\p{S}]*(?:\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}'’-])+)[\p{P}\p{S}]*/gu,
    ) ?? [];
  return pieces.map((piece) => ({
    text: piece,
    key: piece.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, ''),
  }));
}

function common(first: readonly Unit[], second: readonly Unit[]): Unit[] {
  const end = second.findIndex((unit, index) => unit.key !== first[index]?.key);
  return second.slice(0, end < 0 ? second.length : end);
}

/** Without the last mark: how a sentence is punctuated shows only later. */
function textOf(units: readonly Unit[]): string {
  return units
    .map(({ text }) => text)
    .join('')
    .replace(/[\s\p{P}\p{S}]+$/u, '')
    .trimStart();
}
