import {
  type LanguageEvidence,
  likeliestLanguage,
  type SpokenLanguage,
  spokenLanguages,
} from '../../transcript/languages.ts';
import type { SpokenStretch } from '../../windows/speech-window.ts';
import type { LanguageRun } from '../../windows/window-messages.ts';

/** What a change of language must be worth; shorter stretches say less about their language. */
const changePenalty = 2;
const tellingSeconds = 1;

/** The likeliest language of each stretch, when changes are rare (Viterbi), with neighbours of one language joined. */
export function languageRuns(
  speech: readonly SpokenStretch[],
  evidence: readonly LanguageEvidence[],
  windowSeconds: number,
): LanguageRun[] {
  const path = likeliestPath(speech, evidence);
  const runs: LanguageRun[] = [];
  for (const [index, language] of path.entries()) {
    const last = runs.at(-1);
    if (last?.language === language) continue;
    const boundary = index === 0 ? 0 : (speech[index - 1]!.endSeconds + speech[index]!.startSeconds) / 2;
    if (last) last.endSeconds = boundary;
    runs.push({ language, startSeconds: boundary, endSeconds: windowSeconds });
  }
  return runs;
}

function likeliestPath(
  speech: readonly SpokenStretch[],
  evidence: readonly LanguageEvidence[],
): SpokenLanguage[] {
  let scores: LanguageEvidence | undefined;
  const cameFrom: Record<SpokenLanguage, SpokenLanguage>[] = [];
  for (const [index, { startSeconds, endSeconds }] of speech.entries()) {
    const weight = Math.min(1, (endSeconds - startSeconds) / tellingSeconds);
    const before = scores;
    const from = {} as Record<SpokenLanguage, SpokenLanguage>;
    scores = forEachLanguage((language) => {
      const reach = (other: SpokenLanguage) =>
        (before?.[other] ?? 0) - (other === language ? 0 : changePenalty);
      from[language] = before ? likeliestLanguage(forEachLanguage(reach), language) : language;
      return reach(from[language]) + weight * logShare(evidence[index]!, language);
    });
    cameFrom.push(from);
  }
  const path: SpokenLanguage[] = [];
  let language = likeliestLanguage(scores ?? forEachLanguage(() => 0));
  for (let index = speech.length - 1; index >= 0; index--) {
    path.unshift(language);
    language = cameFrom[index]![language];
  }
  return path;
}

/** Log-probability among the languages that are asked about. */
export function logShare(evidence: LanguageEvidence, language: SpokenLanguage): number {
  const all = spokenLanguages.reduce((sum, each) => sum + Math.exp(evidence[each] - evidence[language]), 0);
  return Number.isNaN(all) ? Number.NEGATIVE_INFINITY : -Math.log(all);
}

function forEachLanguage(of: (language: SpokenLanguage) => number): LanguageEvidence {
  return { zh: of('zh'), en: of('en'), nan: of('nan') };
}
