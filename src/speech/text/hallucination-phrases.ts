import { toScript } from './chinese-script.ts';

/**
 * Whisper learned from subtitles, and for silence, music or noise it writes what subtitles have there. `always`: nobody says this, so
 * it is never speech. `when-unsure`: a person may well say it, so it is dropped only when the decoder is unsure or there is little
 * evidence of speech.
 */
export type InventedPhrase = 'always' | 'when-unsure';

export function inventedPhrase(text: string): InventedPhrase | undefined {
  if (notes.test(text) || soundLabel.test(text)) return 'always';
  const folded = fold(text);
  if (madeOf(always, folded)) return 'always';
  return madeOf([...always, ...whenUnsure], folded) ? 'when-unsure' : undefined;
}

const notes = /^[\s\p{P}]*[♪♫♬🎵🎶][\s\p{P}♪♫♬🎵🎶]*$/u;
const soundLabel =
  /^\s*[[(（【*][^\])）】]*(music|applause|laugh|silence|blank.?audio|noise|inaudible|cough|sigh|音[乐樂]|掌[声聲]|笑[声聲]|[静靜]音|字幕)[^\])）】]*[\])）】*]\s*$/iu;

// The tables are in folded form: NFKC, lower case, Simplified, letters and digits only.
const always = phrases([
  '(中文)?字幕由?amaraorg(社区|社群)(提供|制作|翻译)?',
  '(subtitles|captions)?(by)?(the)?amaraorg(community)?',
  '请?不吝点赞(订阅|转发|打赏|支持|明镜|与|点点|栏目)*',
  '请?(订阅|点赞|转发|打赏|支持)+明镜与?点点栏目',
  '明镜与?点点栏目',
  '(中文|简体|繁体)?字幕(志愿者|义工|by).{0,6}',
  '(优优独播剧场)?yoyotelevisionseriesexclusive',
  '(作?词|作?曲|编曲)+李宗盛',
  '(subtitles|captions|subtitled|captioned|transcription|translation)by.{0,30}',
  'mbc뉴스.{0,10}',
  '시청해주셔서감사합니다',
  'ご視聴ありがとうございました',
  'untertitel(ung|derauftrag|im).{0,30}',
  'soustitres(par|realises|réalisés).{0,30}',
]);

const whenUnsure = phrases([
  '(非常)?(谢谢|感谢|多谢)(您|你们?|大家|各位)?的?(观看|收看|收听|聆听|观赏|支持|订阅)?',
  '(我们)?(下次|下期|下集|明天|下周)?的?(节目|影片|视频)?(再见|再会|拜拜)',
  '(我们)?(下次|下期|下集)见',
  '(请|记得|欢迎)*(订阅|点赞|按赞|分享|关注)+(我的|我们的|本)?(频道)?[哦喔吧]?',
  '(中文|简体|繁体)?字幕(组|制作|翻译|校对|提供)+.{0,4}',
  '(本)?(视频|影片|节目)由.{1,10}(提供|赞助|制作)',
  '(thankyou|thanks)(so|very|much|all|guys|everyone)*(for(watching|listening|viewing|yourattention))?',
  '(please|dontforgetto|rememberto|like|and|share|comment)*subscribe(to)?(my|our|the|this)?(channel)?',
  '(ill)?seeyou(in)?(the)?(next(time|video|one)|later|soon|again)?',
  '(visit|goto)?www[a-z0-9]{2,40}(com|org|net|tv|cn|tw)',
  'you|okay|ok|byebye|bye|so|the|oh|uh|hmm|mm|um|music|applause|laughter|silence',
]);

function phrases(patterns: readonly string[]): RegExp[] {
  return patterns.map((pattern) => new RegExp(pattern, 'uy'));
}

/** Whether the text consists of such phrases only. Each step takes the longest phrase that fits and never goes back, so that time is bounded. */
function madeOf(table: readonly RegExp[], folded: string): boolean {
  let position = 0;
  while (position < folded.length) {
    const length = Math.max(...table.map((phrase) => matchLength(phrase, folded, position)));
    if (length === 0) return false;
    position += length;
  }
  return folded !== '';
}

function matchLength(phrase: RegExp, text: string, position: number): number {
  phrase.lastIndex = position;
  return phrase.exec(text)?.[0].length ?? 0;
}

function fold(text: string): string {
  return toScript(text.normalize('NFKC').toLowerCase(), 'zh-CN').replace(/[^\p{L}\p{N}]/gu, '');
}
