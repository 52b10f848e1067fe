import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Half of Whisper's text length belongs to the prompt; a little less, so that the answer has room. */
const mostPromptTokens = 200;

export type PromptTokeniser = (prompt: string | undefined, hotwords: readonly string[]) => Promise<number[]>;

/** Turns what the caller knows beforehand into tokens. The tokeniser's table is only read when somebody needs it. */
export function createPromptTokeniser(modelFolder: string): PromptTokeniser {
  let loading: Promise<(text: string) => number[]> | undefined;
  return async (prompt, hotwords) => {
    const text = [hotwords.join('、'), prompt?.trim() ?? ''].filter((part) => part !== '').join(' ');
    if (text === '') return [];
    loading ??= loadTokeniser(modelFolder);
    const encode = await loading;
    return encode(` ${text}`).slice(-mostPromptTokens);
  };
}

async function loadTokeniser(modelFolder: string): Promise<(text: string) => number[]> {
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const [table, config] = await Promise.all(
    ['tokenizer.json', 'tokenizer_config.json'].map(async (file) =>
      JSON.parse(await readFile(join(modelFolder, file), 'utf8')),
    ),
  );
  const tokenizer = new Tokenizer(table, config);
  // A control token spelt out in a prompt must not steer the decoder.
  const controls = new Set(table.added_tokens.map(({ id }: { id: number }) => id));
  return (text) =>
    tokenizer.encode(text, { add_special_tokens: false }).ids.filter((id: number) => !controls.has(id));
}
