import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { optionArguments, optionHelp } from '../../src/cli/option-arguments.ts';
import { optionThatStartsOver } from '../../src/options/file-options.ts';
import { camelCase, namesOf, optionsOf, type RequestType } from '../../src/options/option-names.ts';
import { optionsSchema, valueSchema } from '../../src/options/option-schema.ts';
import { optionFiles } from '../../src/options/option-texts.ts';
import { defaultOptions, echoOptions, readOptions } from '../../src/options/read-options.ts';
import { mostSpeakers } from '../../src/speech/speakers/who-spoke.ts';
import { type RequestOption, requestOptions } from '../../wire/request-options.ts';

const table: Record<string, RequestOption> = requestOptions;
const requestTypes: RequestType[] = ['file', 'stream'];

test('the files that are made from the table are up to date', async () => {
  for (const [path, text] of Object.entries(optionFiles())) {
    const file = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
    assert.equal(file, text, `${path} is not what the table says. Run npm run options.`);
  }
});

test('no two options share a name', () => {
  for (const requestType of requestTypes) {
    const names = optionsOf(table, requestType).flatMap(([name, option]) => [
      ...namesOf({ [name]: option }, requestType).keys(),
    ]);
    assert.deepEqual(names, [...new Set(names)]);
  }
});

test('a request can ask for as many speakers as can be told apart', () => {
  assert.equal(requestOptions.num_speakers.maximum, mostSpeakers);
});

test('every default is allowed by its own schema', () => {
  const ajv = new Ajv();
  for (const [name, option] of Object.entries(table)) {
    if (option.default !== undefined) assert.ok(ajv.validate(valueSchema(option), option.default), name);
  }
});

test('a value is accepted exactly when the documented schema allows it', () => {
  const ajv = new Ajv();
  const words = fc.oneof(
    fc.constantFrom('true', 'false', '1', '0', 'mixed', 'json', 'word', 'flac', 'LINEAR16', 'siann-1', 'x'),
    fc.integer({ min: -5, max: 60_000 }).map(String),
    fc.double({ min: -1, max: 2, noNaN: true }).map((value) => value.toFixed(3)),
  );
  for (const requestType of requestTypes) {
    for (const [name, option] of optionsOf(table, requestType)) {
      const isAllowed = ajv.compile(valueSchema(option));
      fc.assert(
        fc.property(words, (text) => {
          assert.equal(isRead(requestType, name, text), isAllowed(asValue(option, text)), `${name}=${text}`);
        }),
      );
    }
  }
});

test('the options of a stream are echoed under the names that addresses use', () => {
  const config = { ...defaultOptions('stream'), language: 'en-US', sampleRate: 8000 } as const;
  assert.deepEqual(echoOptions(config), {
    language: 'en-US',
    hotwords: [],
    speaker_diarization: false,
    encoding: 'LINEAR16',
    sample_rate: 8000,
    interim_results: true,
    endpointing_ms: 500,
    words: false,
  });
});

/** Options of three kinds, as somebody would add them. */
const added: Record<string, RequestOption> = {
  speaking_style: {
    in: ['file'],
    kind: 'text',
    maxLength: 99,
    sentence: 'A text.',
    startsOver: (a, b) => a !== b,
  },
  max_cue_count: { in: ['file'], kind: 'whole', minimum: 1, maximum: 9, default: 2, sentence: 'A number.' },
  keep_fillers: { in: ['file', 'stream'], kind: 'flag', default: false, sentence: 'A flag.' },
};

test('an option in the table is documented, read, compared, echoed, explained in the help and typed without other code', () => {
  const grown = { ...table, ...added };
  const { properties } = optionsSchema('file', {}, grown);
  assert.deepEqual(
    Object.keys(added).filter((name) => name in properties),
    Object.keys(added),
  );
  const texts = new Map([
    ['speaking_style', ['slow']],
    ['max_cue_count', ['3']],
    ['keep_fillers', ['true']],
  ]);
  const options = readOptions(texts, 'file', { table: grown }) as Record<string, unknown>;
  assert.deepEqual(options, { speakingStyle: 'slow', maxCueCount: 3, keepFillers: true });
  assert.throws(() => readOptions(new Map([['max_cue_count', ['10']]]), 'file', { table: grown }), {
    param: 'max_cue_count',
    message: '`max_cue_count` is a whole number from 1 to 9.',
  });
  const started = { ...defaultOptions('file', grown), responseFormat: 'json' } as const;
  assert.equal(
    optionThatStartsOver(started, { ...started, ...{ speakingStyle: 'slow' } }, grown),
    'speaking_style',
  );
  assert.equal(optionThatStartsOver(started, { ...started, ...{ maxCueCount: 3 } }, grown), undefined);
  const stream = { ...defaultOptions('stream', grown), ...{ keepFillers: true } };
  assert.equal((echoOptions(stream, grown) as Record<string, unknown>).keep_fillers, true);
  assert.deepEqual(optionArguments('file', grown)['keep-fillers'], { type: 'boolean' });
  assert.match(optionHelp('file', {}, grown), /--max-cue-count N +A number\. \(default: 2\)/);
  const files = optionFiles(grown);
  assert.match(files['wire/option-types.ts']!, /maxCueCount: number;/);
  assert.match(files['docs/guides/options.md']!, /\| `speaking_style` \* \| text, up to 99 characters \|/);
});

function isRead(requestType: RequestType, name: string, text: string): boolean {
  try {
    return camelCase(name) in readOptions(new Map([[name, [text]]]), requestType);
  } catch {
    return false;
  }
}

/** The value that a text means, whether or not it is allowed. */
function asValue(option: RequestOption, text: string): unknown {
  switch (option.kind) {
    case 'number':
    case 'whole':
      return /^[\d.]+$/.test(text) ? Number(text) : text;
    case 'flag':
      return { true: true, 1: true, false: false, 0: false }[text] ?? text;
    case 'list':
      return [text];
    case 'choices':
      return [text];
    case 'choice': {
      const spelling = option.values.find((value) => value.toLowerCase() === text.toLowerCase());
      return option.anyCase && spelling ? spelling : text;
    }
    case 'text':
      return text;
  }
}
