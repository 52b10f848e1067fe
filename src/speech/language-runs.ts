import type { SpokenLanguage } from './segment.ts';
import type { SpokenStretch } from './windows.ts';

/** Part of a window in which one language is spoken. */
export type LanguageRun = { language: SpokenLanguage; startSeconds: number; endSeconds: number };

/** How a stretch of speech sounds: the log-probability of each language. */
export type LanguageEvidence = Record<SpokenLanguage, number>;

const languages: readonly SpokenLanguage[] = ['zh', 'en'];
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
  const scores: LanguageEvidence = { zh: 0, en: 0 };
  const cameFrom: Record<SpokenLanguage, SpokenLanguage>[] = [];
  for (const [index, { startSeconds, endSeconds }] of speech.entries()) {
    const weight = Math.min(1, (endSeconds - startSeconds) / tellingSeconds);
    const before = { ...scores };
    const from = { zh: 'zh', en: 'en' } as Record<SpokenLanguage, SpokenLanguage>;
    for (const language of languages) {
      const other = language === 'zh' ? 'en' : 'zh';
      if (index > 0 && before[other] - changePenalty > before[language]) from[language] = other;
      const reached = from[language] === language ? before[language] : before[other] - changePenalty;
      scores[language] = reached + weight * relative(evidence[index]!, language);
    }
    cameFrom.push(from);
  }
  const path: SpokenLanguage[] = [];
  let language: SpokenLanguage = scores.zh >= scores.en ? 'zh' : 'en';
  for (let index = speech.length - 1; index >= 0; index--) {
    path.unshift(language);
    language = cameFrom[index]![language];
  }
  return path;
}

/** Log-probability among the languages that are asked about. */
function relative(evidence: LanguageEvidence, language: SpokenLanguage): number {
  const other = language === 'zh' ? evidence.en : evidence.zh;
  return -Math.log1p(Math.exp(other - evidence[language]));
}
