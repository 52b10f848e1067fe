import assert from 'node:assert/strict';
import { createTokenRules } from '../../../src/speech/inference/decoding/token-rules.ts';
import { fullContext } from '../../../src/speech/inference/features/context-frames.ts';
import type { WhisperDecoder } from '../../../src/speech/inference/network/whisper-decoder.ts';
import type { EncodedWindow, WhisperEncoder } from '../../../src/speech/inference/network/whisper-encoder.ts';
import type { WhisperNetwork } from '../../../src/speech/inference/network/whisper-network.ts';
import type { SpokenLanguage } from '../../../src/speech/transcript/languages.ts';
import { row as answer, smallVocabulary, vocabularySize } from '../small-vocabulary.ts';

/** What the network says of one window, whose audio is its `mark` from the first sample to the last. */
export type FakeWindow = {
  mark: number;
  /** The tokens of each try, with the end, and how likely they are; the last one stands for all that follow. */
  tries: { tokens: number[]; probability?: number }[];
  /** Of the whole window, then of each of its stretches. */
  languages?: SpokenLanguage[];
};

export type FakeNetworkOptions = {
  windows: readonly FakeWindow[];
  capacity?: number;
  adapted?: boolean;
  /** Called with the name of every run of a graph before it happens: the moment at which a test lets something else happen. */
  onRun?: (run: string) => void;
  /** What becomes of the rows when one is removed; as the real decoder does it unless a test breaks the contract. */
  removeRow?: <Row>(rows: Row[], row: number) => number;
};

export type FakeNetwork = WhisperNetwork & {
  /** Every run of a graph, in order, such as `encode 1 part 0`, `prompt 1` or `step 1 2`. */
  runs: string[];
};

type Row = { window: FakeWindow; tries: number; fed: number[] };

const parts = 3;

/**
 * A network that follows a script instead of computing. It notices when a row is fed a token that its window did not choose, as would
 * happen if the scheduler took one row for another.
 */
export function createFakeNetwork(options: FakeNetworkOptions): FakeNetwork {
  const { windows, capacity = 6, adapted = false, onRun, removeRow = moveLastRow } = options;
  const runs: string[] = [];
  const tries = new Map<FakeWindow, number>();
  const run = (name: string) => {
    runs.push(name);
    onRun?.(name);
  };

  const encoder: WhisperEncoder = {
    async encode(features, positions, mayContinue) {
      const { mark } = markedBy(features[0]!);
      const context = positions === fullContext ? '' : ' short';
      for (let part = 0; part < parts; part++) {
        if (part > 0 && mayContinue && !(await mayContinue())) return undefined;
        run(`encode ${mark}${context} part ${part}`);
      }
      return { frames: positions.length, keys: [], values: [], scales: Float32Array.of(mark) };
    },
  };

  return {
    runs,
    vocabulary: smallVocabulary,
    vocabularySize,
    adapted,
    rules: createTokenRules(smallVocabulary),
    logMel: (audio, frames) => new Float32Array(80 * frames).fill(audio.at(-1)!),
    encoder,
    decoder: createDecoder(),
  };

  function markedBy(mark: number): FakeWindow {
    const window = windows.find((each) => each.mark === mark);
    assert(window, `no window is marked ${mark}`);
    return window;
  }

  function createDecoder(): WhisperDecoder {
    const rows: Row[] = [];
    return {
      capacity,
      get count() {
        return rows.length;
      },
      add({ scales }: EncodedWindow) {
        assert(rows.length < capacity, 'no free row');
        rows.push({ window: markedBy(scales[0]!), tries: 0, fed: [] });
        return rows.length - 1;
      },
      remove: (row) => removeRow(rows, row),
      restart(row) {
        rows[row]!.fed = [];
      },
      truncate(row, length) {
        assert(length <= rows[row]!.fed.length, 'a window cannot be cut longer');
        rows[row]!.fed.length = length;
      },
      async probe(row, _, stretches) {
        const { mark, languages = [] } = rows[row]!.window;
        run(`detect ${mark}`);
        return joined(
          stretches.map((_, index) => answer([[smallVocabulary.languages[languages[index] ?? 'en'], 0.9]])),
        );
      },
      async prompt(row, tokens, answers = 1) {
        const { window } = rows[row]!;
        const isOpening = rows[row]!.fed.length === 0;
        run(`${isOpening ? 'open' : 'prompt'} ${window.mark}`);
        if (isOpening) {
          rows[row]!.tries = tries.get(window) ?? 0;
          tries.set(window, rows[row]!.tries + 1);
        }
        const answered = tokens.map((token, index) => {
          feed(rows[row]!, token, { isDraft: isOpening });
          return index >= tokens.length - answers ? next(rows[row]!) : undefined;
        });
        return joined(answered.filter((each) => each !== undefined));
      },
      async step(tokens) {
        run(`step ${rows.map(({ window }) => window.mark).join(' ')}`);
        assert.equal(tokens.length, rows.length);
        return joined(
          rows.map((row, index) => {
            feed(row, tokens[index]!, { isDraft: false });
            return next(row);
          }),
        );
      },
      async align(row, tokens) {
        run(`align ${rows[row]!.window.mark}`);
        rows[row]!.fed = [];
        return { heads: 1, tokens: tokens.length, frames: 1, weights: new Float32Array(tokens.length) };
      },
    };
  }
}

/** What the row's window says next, after what it was fed. */
function next(row: Row): Float32Array {
  const { tokens, probability = 0.9 } = tryOf(row);
  const token = tokens[textOf(row).length] ?? smallVocabulary.endOfText;
  return answer([[token, probability]]);
}

function feed(row: Row, token: number, { isDraft }: { isDraft: boolean }): void {
  const text = textOf(row);
  row.fed.push(token);
  if (isDraft || text.length === textOf(row).length) return;
  const expected = tryOf(row).tokens.slice(0, text.length + 1);
  assert.deepEqual([...text, token], expected, `window ${row.window.mark} is fed what it did not say`);
}

function tryOf({ window, tries }: Row): FakeWindow['tries'][number] {
  return window.tries[tries] ?? window.tries.at(-1)!;
}

/** What was fed behind the opening, which ends with `transcribe`. */
function textOf({ fed }: Row): number[] {
  const opening = fed.lastIndexOf(smallVocabulary.transcribe);
  return opening < 0 ? [] : fed.slice(opening + 1);
}

export function moveLastRow<Row>(rows: Row[], row: number): number {
  const last = rows.pop()!;
  if (row < rows.length) rows[row] = last;
  return rows.length;
}

function joined(answers: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(answers.length * vocabularySize);
  for (const [index, each] of answers.entries()) all.set(each, index * vocabularySize);
  return all;
}
