import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkCombination,
  decideFileOptions,
  optionThatStartsOver,
  toTranscribeOptions,
} from '../../src/options/file-options.ts';
import { readOptions, requireOptions } from '../../src/options/read-options.ts';

type Fields = Record<string, string | string[]>;

test('a request with only a model gets the defaults', () => {
  assert.deepEqual(read({}), {
    language: 'mixed',
    responseFormat: 'json',
    timestampGranularities: [],
    stream: false,
    hotwords: [],
    temperature: 0,
    speakerDiarization: false,
  });
});

test('every field is read, and unknown fields are ignored', () => {
  const options = read({
    language: 'zh-CN',
    prompt: ' a lecture ',
    hotwords: '聲學、 Siann,模型，',
    'hotwords[]': ['x', 'y'],
    temperature: '.25',
    response_format: 'verbose_json',
    'timestamp_granularities[]': ['word', 'segment'],
    stream: 'True',
    speaker_diarization: '1',
    num_speakers: '10',
    unknown: 'ignored',
  });
  assert.deepEqual(options, {
    language: 'zh-CN',
    prompt: ' a lecture ',
    hotwords: ['聲學', 'Siann', '模型', 'x', 'y'],
    temperature: 0.25,
    responseFormat: 'verbose_json',
    timestampGranularities: ['word', 'segment'],
    stream: true,
    speakerDiarization: true,
    numSpeakers: 10,
  });
  const { words, speakers, prompt } = toTranscribeOptions(options);
  assert.deepEqual(
    { words, speakers, prompt },
    { words: true, speakers: { count: 10 }, prompt: ' a lecture ' },
  );
});

test('a client that accepts only text gets text, unless it asks for something else', () => {
  assert.equal(read({}, 'text').responseFormat, 'text');
  assert.equal(read({ response_format: 'srt' }, 'text').responseFormat, 'srt');
});

test('speakers are told apart when the option or the format asks for it', () => {
  const speakers = (fields: Fields) => toTranscribeOptions(read(fields)).speakers;
  assert.deepEqual(speakers({ speaker_diarization: 'true' }), {});
  assert.deepEqual(speakers({ response_format: 'diarized_json' }), {});
  assert.equal(speakers({ response_format: 'diarized_json', speaker_diarization: 'false' }), undefined);
  assert.equal(speakers({ num_speakers: '2' }), undefined);
});

test('zh and en stand for zh-TW and en-US, in any case', () => {
  const language = (name: string) => read({ language: name }).language;
  assert.deepEqual(['zh', 'en', 'EN-us', 'zh-tw', 'mixed'].map(language), [
    'zh-TW',
    'en-US',
    'en-US',
    'zh-TW',
    'mixed',
  ]);
});

test('recognition starts over for a late option that changes its result, and for no other', () => {
  const late = (before: Fields, after: Fields) =>
    optionThatStartsOver(read(before), read({ ...before, ...after }));
  const verbose = { response_format: 'verbose_json' };
  assert.equal(late({}, { language: 'en' }), 'language');
  assert.equal(late({}, { prompt: 'x' }), 'prompt');
  assert.equal(late({}, { hotwords: 'a' }), 'hotwords');
  assert.equal(late({}, { 'hotwords[]': 'a' }), 'hotwords');
  assert.equal(late({}, { temperature: '0.1' }), 'temperature');
  assert.equal(late({}, { speaker_diarization: 'true' }), 'speaker_diarization');
  assert.equal(late({}, { response_format: 'diarized_json' }), 'speaker_diarization');
  assert.equal(late({ speaker_diarization: 'true' }, { num_speakers: '2' }), 'num_speakers');
  assert.equal(late(verbose, { timestamp_granularities: 'word' }), 'timestamp_granularities[]');
  const words = { ...verbose, timestamp_granularities: 'word' };
  assert.equal(late(words, { timestamp_granularities: 'segment' }), undefined);
  assert.equal(late({}, { response_format: 'srt', stream: 'true', num_speakers: '2' }), undefined);
  assert.equal(late({ language: 'en' }, { language: 'EN-US' }), undefined);
});

test('a field that was left empty counts as not sent', () => {
  assert.deepEqual(
    read({ language: '', prompt: '', temperature: ' ', stream: '', response_format: '' }),
    read({}),
  );
});

const bad: [Fields, string, RegExp][] = [
  [{ model: [] }, 'model', /model=siann-1/],
  [{ model: ' ' }, 'model', /model=siann-1/],
  [{ language: 'fr' }, 'language', /mixed, zh-TW, zh-CN, en-US, nan-TW, zh, en, nan/],
  [{ language: ['en', 'en'] }, 'language', /sent 2 times/],
  [{ temperature: '1.5' }, 'temperature', /from 0 to 1/],
  [{ temperature: '-0' }, 'temperature', /from 0 to 1/],
  [{ temperature: '0x1' }, 'temperature', /from 0 to 1/],
  [{ temperature: 'warm' }, 'temperature', /from 0 to 1/],
  [{ response_format: 'xml' }, 'response_format', /json, verbose_json, text, srt, vtt, diarized_json/],
  [{ 'timestamp_granularities[]': 'char' }, 'timestamp_granularities[]', /word, segment/],
  [{ 'timestamp_granularities[]': 'word' }, 'timestamp_granularities[]', /verbose_json/],
  [{ stream: 'yes' }, 'stream', /true or false/],
  [{ num_speakers: '0' }, 'num_speakers', /whole number from 1 to 10/],
  [{ num_speakers: '2.5' }, 'num_speakers', /whole number from 1 to 10/],
  [{ speaker_diarization: 'maybe' }, 'speaker_diarization', /true or false/],
];
for (const [fields, param, sentence] of bad) {
  test(`${JSON.stringify(fields)} is refused with the name of the field and what is allowed`, () => {
    assert.throws(() => read(fields), { code: 'invalid_value', param, message: sentence });
  });
}

test('an unknown model is answered with model_not_found', () => {
  assert.throws(() => read({ model: 'whisper-1' }), { code: 'model_not_found', param: 'model', status: 404 });
});

function read(fields: Fields, defaultFormat: 'json' | 'text' = 'json') {
  const entries = Object.entries({ model: 'siann-1', ...fields });
  const texts = new Map(entries.map(([name, value]) => [name, [value].flat()]));
  const options = decideFileOptions(readOptions(texts, 'file'), defaultFormat);
  requireOptions(texts, 'file');
  checkCombination(options);
  return options;
}
