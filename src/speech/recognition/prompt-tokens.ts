import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createOneATurn } from '../../async/one-a-turn.ts';

/** Whisper takes 448 tokens, of which 224 are for the text, and a few steer it. */
const mostPromptTokens = 200;
/** Of a prompt and hotwords that are too long together, each keeps at least this many. */
const share = mostPromptTokens / 2;

/** Mostly, so much of the end of a text has more tokens than are taken. */
const mostlyEnoughBytes = 800;
/** The first tokens of a text that was cut may be others than in the whole text. */
const unlikeTokens = 20;

/** Of UTF-8, for each unit of a string. */
const maxBytesOfUnit = 3;

export type PromptTokeniser = (prompt: string | undefined, hotwords: readonly string[]) => Promise<number[]>;

type Options = {
  modelFolder: string;
  /** Of longer texts, only so much of the end becomes tokens. In real text this is more than the model takes. */
  usedBytes: number;
  /** Reads the tokeniser's table now, which takes half a second, and not while others are served. */
  preload?: boolean;
};

/** Makes tokens of what the caller knows beforehand. */
export function createPromptTokeniser({ modelFolder, usedBytes, preload }: Options): PromptTokeniser {
  let loading = preload ? loadTokeniser(modelFolder) : undefined;
  // Whoever needs it learns of it.
  loading?.catch(() => {});
  // Each takes some milliseconds, and others are served in between.
  const inTurn = createOneATurn();
  return async (prompt, hotwords) => {
    const parts = [hotwords.join('、'), prompt?.trim() ?? ''].map((part) => endOf(part, usedBytes));
    if (parts.every((part) => part === '')) return [];
    loading ??= loadTokeniser(modelFolder);
    const { encode, beginsWord } = await loading;
    const tokensOf = async (text: string): Promise<number[]> => {
      if (text === '') return [];
      const end = endOf(text, mostlyEnoughBytes);
      const tokens = await inTurn(() => encode(` ${end}`));
      const isEnough = end === text || tokens.length >= mostPromptTokens + unlikeTokens;
      return isEnough ? tokens : inTurn(() => encode(` ${text}`));
    };
    const hotwordTokens = await tokensOf(parts[0]!);
    const textTokens = await tokensOf(parts[1]!);
    return joinPrompt(hotwordTokens, textTokens, beginsWord);
  };
}

/** The end of a text, so that no time is spent on tokens that would be dropped. It begins with a whole character. */
function endOf(text: string, usedBytes: number): string {
  if (text.length * maxBytesOfUnit <= usedBytes) return text;
  const bytes = Buffer.from(text.slice(-usedBytes)).subarray(-usedBytes);
  const isInCharacter = (byte: number) => (byte & 0xc0) === 0x80;
  return bytes.subarray(bytes.findIndex((byte) => !isInCharacter(byte))).toString();
}

/** Hotwords, then the text that came before, together short enough. Of what is too long, the end is kept. */
function joinPrompt(
  hotwords: readonly number[],
  text: readonly number[],
  beginsWord: (token: number) => boolean,
): number[] {
  const names = last(hotwords, Math.max(share, mostPromptTokens - text.length));
  const rest = last(text, mostPromptTokens - names.length);
  // Half a word would be read as the end of the last name.
  const isCut = names.length > 0 && rest.length < text.length;
  return [...names, ...(isCut ? rest.slice(Math.max(0, rest.findIndex(beginsWord))) : rest)];
}

/** A stream's prompt with the text of the utterance before, which is short. */
export function withPrevious(promptTokens: readonly number[], previous: readonly number[]): number[] {
  return [...last(promptTokens, mostPromptTokens - previous.length), ...previous];
}

function last(tokens: readonly number[], count: number): number[] {
  return tokens.slice(Math.max(0, tokens.length - count));
}

type Tokeniser = {
  encode(text: string): number[];
  /** Whether a word, or a character that stands by itself, begins with this token. */
  beginsWord(token: number): boolean;
};

async function loadTokeniser(modelFolder: string): Promise<Tokeniser> {
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const [table, config] = await Promise.all(
    ['tokenizer.json', 'tokenizer_config.json'].map(async (file) =>
      JSON.parse(await readFile(join(modelFolder, file), 'utf8')),
    ),
  );
  const tokenizer = new Tokenizer(table, config);
  // A control token spelt out in a prompt must not steer the decoder.
  const controls = new Set(table.added_tokens.map(({ id }: { id: number }) => id));
  // The table spells a space as Ġ, and the first byte of a character outside ASCII as À to ÿ (GPT-2's byte-level alphabet).
  const beginnings = new Set<number>();
  for (const [spelling, id] of Object.entries<number>(table.model.vocab))
    if (/^[Ġ\u00C0-\u00FF]/.test(spelling)) beginnings.add(id);
  return {
    encode: (text) =>
      tokenizer.encode(text, { add_special_tokens: false }).ids.filter((id: number) => !controls.has(id)),
    beginsWord: (token) => beginnings.has(token),
  };
}
