import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTranscriptionRequest } from '../../../src/http/fields/transcription-request.ts';

type Fields = Record<string, string | string[]>;

test('a request that says nothing but the model gets the defaults', () => {
  assert.deepEqual(read({}), {
    recognition: {
      language: 'mixed',
      prompt: undefined,
      hotwords: [],
      temperature: 0,
      words: false,
      speakers: undefined,
    },
    output: { format: 'json', words: false, segments: true },
    stream: false,
  });
});

test('every field is taken as it is meant', () => {
  const request = read({
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
  assert.deepEqual(request.recognition, {
    language: 'zh-CN',
    prompt: ' a lecture ',
    hotwords: ['聲學', 'Siann', '模型', 'x', 'y'],
    temperature: 0.25,
    words: true,
    speakers: { count: 10 },
  });
  assert.deepEqual(request.output, { format: 'verbose_json', words: true, segments: true });
  assert.equal(request.stream, true);
});

test('segments are left out only where words alone are asked for', () => {
  const output = (granularities: string) =>
    read({ response_format: 'verbose_json', timestamp_granularities: granularities }).output;
  assert.deepEqual(output('word'), { format: 'verbose_json', words: true, segments: false });
  assert.deepEqual(output('segment'), { format: 'verbose_json', words: false, segments: true });
  assert.deepEqual(output('segment,word'), { format: 'verbose_json', words: true, segments: true });
});

test('a client that accepts only text gets text, unless it asks for something else', () => {
  assert.equal(read({}, true).output.format, 'text');
  assert.equal(read({ response_format: 'srt' }, true).output.format, 'srt');
});

test('speakers are told apart where that is asked for, in so many words or by the format', () => {
  const speakers = (fields: Fields) => read(fields).recognition.speakers;
  assert.deepEqual(speakers({ speaker_diarization: 'true' }), {});
  assert.deepEqual(speakers({ response_format: 'diarized_json' }), {});
  assert.equal(speakers({ response_format: 'diarized_json', speaker_diarization: 'false' }), undefined);
  assert.equal(speakers({ num_speakers: '2' }), undefined);
});

test('bare names of languages stand for those of Taiwan and America, in any case', () => {
  const language = (name: string) => read({ language: name }).recognition.language;
  assert.deepEqual(['zh', 'en', 'EN-us', 'zh-tw', 'mixed'].map(language), [
    'zh-TW',
    'en-US',
    'en-US',
    'zh-TW',
    'mixed',
  ]);
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
  test(`${JSON.stringify(fields)} is refused, by name and with what is allowed`, () => {
    assert.throws(() => read(fields), { code: 'invalid_value', param, message: sentence });
  });
}

test('another model is not found', () => {
  assert.throws(() => read({ model: 'whisper-1' }), { code: 'model_not_found', param: 'model', status: 404 });
});

function read(fields: Fields, acceptsOnlyText = false) {
  const entries = Object.entries({ model: 'siann-1', ...fields });
  return readTranscriptionRequest(new Map(entries.map(([name, value]) => [name, [value].flat()])), {
    acceptsOnlyText,
  });
}
