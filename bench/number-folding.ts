// One recogniser writes numbers in digits and another in words, and both are right. Here every number becomes its
// digits, each a unit of its own, so that 一百二十三, "one hundred and twenty three" and 123 are the same three units.

/** The units of simplified, lower-case text, with numbers and a few abbreviations in one form. */
export function foldNumbers(text: string): string[] {
  const tokens = mergeDecimals(tokenise(text));
  const units: string[] = [];
  let position = 0;
  while (position < tokens.length) {
    const token = tokens[position]!;
    const isPercentage = tokens.slice(position, position + 3).join('') === '百分之';
    const number = readNumber(tokens, isPercentage ? position + 3 : position);
    if (number) {
      units.push(...number.units, ...(isPercentage ? ['%'] : []));
      position = number.end;
    } else {
      const isZero =
        /^oh?$/.test(token) && /\d/.test(units.at(-1) ?? '') && readNumeral(tokens[position + 1]);
      units.push(isZero ? '0' : (synonyms[token] ?? token));
      position += 1;
    }
  }
  return units;
}

const synonyms: Record<string, string> = {
  percent: '%',
  mr: 'mister',
  mrs: 'missus',
  dr: 'doctor',
  ok: 'okay',
};

const hanDigits = [...'零一二三四五六七八九'];
const upToNineteen =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const upToNineteenth =
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth';
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety';
const tenths = 'twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth';

const cardinals = new Map([
  ...hanDigits.map((digit, value) => [digit, value] as const),
  ...([
    ['两', 2],
    ['幺', 1],
  ] as const), // 幺 is how a one is read out in telephone numbers
  ...upToNineteen.split(' ').map((word, value) => [word, value] as const),
  ...tens.split(' ').map((word, index) => [word, 20 + 10 * index] as const),
]);
const ordinals = new Map([
  ...upToNineteenth.split(' ').map((word, value) => [word, value] as const),
  ...tenths.split(' ').map((word, index) => [word, 20 + 10 * index] as const),
]);
const multipliers = new Map(
  Object.entries({
    十: 10,
    百: 100,
    千: 1e3,
    万: 1e4,
    亿: 1e8,
    hundred: 100,
    thousand: 1e3,
    million: 1e6,
    billion: 1e9,
  }),
);

function tokenise(text: string): string[] {
  const written = text
    .replace(/(?<=\d),(?=\d{3})/g, '')
    .replace(/\bper cent\b/g, 'percent')
    .replaceAll('百分之百', '100%')
    .replaceAll('〇', '零');
  const number = String.raw`\d+(?:\.\d+)?(?:(?:st|nd|rd|th)(?!\p{L}))?`;
  const word = String.raw`(?:(?!\p{Script=Han})[\p{L}\p{M}])+`;
  return written.match(new RegExp(`${number}|%|\\p{Script=Han}|${word}`, 'gu')) ?? [];
}

/** 三点一四 and "three point one four" become 3.14; 三点五十, a time of day, does not. */
function mergeDecimals(tokens: string[]): string[] {
  const merged: string[] = [];
  let position = 0;
  while (position < tokens.length) {
    const whole = readNumeral(tokens[position]);
    let end = position + 2;
    while (isDigit(tokens[end])) end += 1;
    const hasPoint = whole && !whole.isOrdinal && ['点', 'point'].includes(tokens[position + 1] ?? '');
    if (hasPoint && end > position + 2 && tokens[end] !== '十') {
      const decimals = tokens.slice(position + 2, end).map((token) => readNumeral(token)!.text);
      merged.push(`${whole.text}.${decimals.join('')}`);
      position = end;
    } else {
      merged.push(tokens[position]!);
      position += 1;
    }
  }
  return merged;
}

function isDigit(token: string | undefined): boolean {
  return /^\d$/.test(token ?? '') || (cardinals.get(token ?? '') ?? 10) < 10;
}

type Numeral = { value: number; text: string; isOrdinal: boolean };

function readNumeral(token = ''): Numeral | undefined {
  const [, written, suffix] = token.match(/^(\d+(?:\.\d+)?)(\D*)$/) ?? [];
  if (written !== undefined) return { value: Number(written), text: written, isOrdinal: suffix !== '' };
  const value = cardinals.get(token) ?? ordinals.get(token);
  return value === undefined ? undefined : { value, text: String(value), isOrdinal: ordinals.has(token) };
}

/** The longest number that starts at a token, by the rules that Chinese and English number words share. */
function readNumber(tokens: string[], start: number): { units: string[]; end: number } | undefined {
  const terms: { value: number; scale: number }[] = [];
  let last: Numeral | undefined;
  let end = start;
  for (; end < tokens.length && !last?.isOrdinal; end += 1) {
    const token = tokens[end]!;
    const next = tokens[end + 1] ?? '';
    const scale = multipliers.get(token);
    const top = terms.at(-1);
    const afterMultiplier = top !== undefined && last === undefined;
    const numeral = token === 'a' && multipliers.has(next) ? readNumeral('1') : readNumeral(token);
    if (scale !== undefined) {
      // A multiplier takes up every smaller term before it: 三千 + 万, "one hundred" + "twenty" + "thousand".
      const isTen = token === '十' && (top === undefined || (afterMultiplier && top.scale > scale));
      if (!isTen && !(top && top.value < scale)) break;
      let value = isTen ? 1 : 0;
      while (!isTen && terms.length > 0 && terms.at(-1)!.value < scale) value += terms.pop()!.value;
      terms.push({ value: value * scale, scale });
      last = undefined;
    } else if (afterMultiplier && (token === '零' || token === 'and') && readNumeral(next)) {
    } else if (
      numeral &&
      (top === undefined ||
        (afterMultiplier && numeral.value < top.scale && multipliers.get(next) !== top.scale) ||
        (tens.includes(tokens[end - 1]!) && numeral.value > 0 && numeral.value < 10))
    ) {
      // 一百二 is 120: a last digit right after a multiplier counts in tenths of it.
      const isShortened =
        afterMultiplier &&
        top.scale > 10 &&
        hanDigits.includes(token) &&
        multipliers.has(tokens[end - 1]!) &&
        !multipliers.has(next);
      terms.push({ value: numeral.value * (isShortened ? top.scale / 10 : 1), scale: 1 });
      last = numeral;
    } else break;
  }
  if (terms.length === 0) return undefined;
  const sum = terms.reduce((total, { value }) => total + value, 0);
  const text = end === start + 1 && last ? last.text : String(Number(sum.toPrecision(15)));
  return { units: last?.isOrdinal ? [...text.slice(0, -1), `${text.at(-1)}th`] : [...text], end };
}
