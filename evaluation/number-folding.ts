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
      units.push(isZero ? '0' : (synonyms.get(token) ?? token));
      position += 1;
    }
  }
  return units;
}

const synonyms = new Map([
  ['percent', '%'],
  ['mr', 'mister'],
  ['mrs', 'missus'],
  ['dr', 'doctor'],
  ['ok', 'okay'],
]);

const hanDigits = [...'零一二三四五六七八九'];
const upToNineteen =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const upToNineteenth =
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth';
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const tenths = 'twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth';

const cardinals = new Map([
  ...hanDigits.map((digit, value) => [digit, value] as const),
  ['两', 2] as const,
  ['幺', 1] as const, // how a one is read out in telephone numbers
  ...upToNineteen.split(' ').map((word, value) => [word, value] as const),
  ...tens.map((word, index) => [word, 20 + 10 * index] as const),
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

/** One summand of a number: 二百 is 200 with the scale 100, a bare numeral has the scale 1. */
type Term = { value: number; scale: number };

/** The longest number that starts at a token, by the rules that Chinese and English number words share. */
function readNumber(tokens: string[], start: number): { units: string[]; end: number } | undefined {
  const terms: Term[] = [];
  let last: Numeral | undefined; // undefined after a multiplier
  let end = start;
  for (; end < tokens.length && !last?.isOrdinal; end += 1) {
    const [before = '', token = '', after = ''] = [tokens[end - 1], tokens[end], tokens[end + 1]];
    const scale = multipliers.get(token);
    const top = terms.at(-1);
    if (scale !== undefined) {
      if (!multiply(terms, scale, token === '十')) break;
      last = undefined;
      continue;
    }
    if (top && !last && /^(零|and)$/.test(token) && readNumeral(after)) continue;
    const numeral = token === 'a' && multipliers.has(after) ? readNumeral('1') : readNumeral(token);
    if (!numeral) break;
    const continuesTens = tens.includes(before) && numeral.value > 0 && numeral.value < 10;
    const continuesMultiplier =
      top && !last && numeral.value < top.scale && multipliers.get(after) !== top.scale;
    if (top && !continuesTens && !continuesMultiplier) break;
    // 一百二 is 120: a last digit right after a multiplier counts tenths of it.
    const isShortened =
      top &&
      top.scale >= 100 &&
      hanDigits.includes(token) &&
      multipliers.has(before) &&
      !multipliers.has(after);
    terms.push({ value: numeral.value * (isShortened ? top.scale / 10 : 1), scale: 1 });
    last = numeral;
  }
  if (terms.length === 0) return undefined;
  const isSingle = last !== undefined && end === start + 1;
  const text = isSingle ? last!.text : String(Number(sumOf(terms).toPrecision(15)));
  return { units: last?.isOrdinal ? [...text.slice(0, -1), `${text.at(-1)}th`] : [...text], end };
}

/** A multiplier takes up every smaller term before it: 三千 and 万, "one hundred twenty" and "thousand". */
function multiply(terms: Term[], scale: number, isTen: boolean): boolean {
  const kept = terms.findLastIndex((term) => term.value >= scale) + 1;
  const multiplied = sumOf(terms.slice(kept));
  const isBareTen = isTen && multiplied === 0 && (kept === 0 || terms[kept - 1]!.scale > scale);
  if (multiplied === 0 && !isBareTen) return false;
  terms.splice(kept, terms.length, { value: (multiplied || 1) * scale, scale });
  return true;
}

function sumOf(terms: Term[]): number {
  return terms.reduce((sum, { value }) => sum + value, 0);
}
