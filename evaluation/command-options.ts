// Options of the commands of bench/ and training/: read, checked, and refused with a sentence.
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** What the command was given; it ends here with a sentence if that is nothing it knows. */
export function readOptions<const T extends NonNullable<ParseArgsConfig['options']>>(options: T) {
  try {
    return parseArgs({ options, strict: true }).values;
  } catch (error) {
    const known = Object.keys(options).map((name) => `--${name}`);
    return refuse(`${(error as Error).message}\nOptions: ${known.join(', ')}.`);
  }
}

export function choose<T extends string>(option: string, allowed: readonly T[], value: string): T {
  const found = allowed.find((each) => each === value);
  return found ?? refuse(`--${option} ${value}: expected ${allowed.join(', ')}.`);
}

/** Numbers above 0, between commas. */
export function chooseNumbers(option: string, list: string): number[] {
  const numbers = list.split(',').map(Number);
  return numbers.every((each) => each > 0)
    ? numbers
    : refuse(`--${option} ${list}: expected numbers above 0.`);
}

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

export function chooseSeveral<T extends string>(option: string, allowed: readonly T[], list: string): T[] {
  return list.split(',').map((value) => choose(option, allowed, value));
}

/** In their own order, whatever the list's. */
export function chooseChecks<T extends string>(checks: readonly T[], list: string): T[] {
  const chosen = chooseSeveral('only', checks, list);
  return checks.filter((each) => chosen.includes(each));
}
