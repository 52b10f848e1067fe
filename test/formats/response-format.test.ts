import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type FormatOptions, formatTranscript } from '../../src/formats/response-format.ts';
import type { Segment, Transcript } from '../../src/speech/transcript/segment.ts';
import { requestOptions } from '../../wire/request-options.ts';
import { segment } from '../support/segment.ts';

const empty: Transcript = { durationSeconds: 0, language: 'zh', segments: [] };

const mixed: Transcript = {
  durationSeconds: 7.00049,
  language: 'zh',
  segments: [
    spoken({ startSeconds: 0, endSeconds: 1.23456, text: '我們用' }),
    spoken({ startSeconds: 1.23456, endSeconds: 2, text: ' Python 寫' }),
    spoken({ startSeconds: 2, endSeconds: 3, text: 'Really?' }),
    spoken({ startSeconds: 3, endSeconds: 4, text: 'Yes & <no>' }),
    spoken({ startSeconds: 4, endSeconds: 5, text: '𪜶講' }),
  ],
};

test('json has the fields of the interface and no others', () => {
  assert.deepEqual(json(mixed, 'json'), {
    task: 'transcribe',
    duration: 7,
    text: '我們用Python 寫Really? Yes & <no>𪜶講',
    segments: [
      { id: 0, start: 0, end: 1.235, text: '我們用' },
      { id: 1, start: 1.235, end: 2, text: 'Python 寫' },
      { id: 2, start: 2, end: 3, text: 'Really?' },
      { id: 3, start: 3, end: 4, text: 'Yes & <no>' },
      { id: 4, start: 4, end: 5, text: '𪜶講' },
    ],
  });
});

test('speakers and their number appear only when the transcript has them', () => {
  const diarized = { ...mixed, numSpeakers: 2, segments: [spoken({ text: '好', speaker: 0 })] };
  assert.deepEqual(json(diarized, 'json'), {
    task: 'transcribe',
    duration: 7,
    text: '好',
    segments: [{ id: 0, start: 0, end: 1, text: '好', speaker: 0 }],
    num_speakers: 2,
  });
  assert.deepEqual(json(diarized, 'diarized_json'), {
    task: 'transcribe',
    duration: 7,
    text: '好',
    num_speakers: 2,
    segments: [{ type: 'transcript.text.segment', id: 'seg_0', start: 0, end: 1, text: '好', speaker: 0 }],
  });
  assert.equal(body(diarized, 'srt'), '1\n00:00:00,000 --> 00:00:01,000\nSpeaker 1: 好\n\n');
  assert.equal(body(diarized, 'vtt'), 'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<v Speaker 1>好\n\n');
});

test("verbose_json adds the language, OpenAI's figures, and words when asked", () => {
  const word = { text: ' 好', startSeconds: 0.1, endSeconds: 0.40001, probability: 0.9 };
  const transcript = {
    ...mixed,
    segments: [spoken({ startSeconds: 1.5, endSeconds: 2, text: '好', words: [word] })],
  };
  const figures = {
    seek: 150,
    tokens: [1, 2],
    temperature: 0,
    avg_logprob: -0.2,
    compression_ratio: 1.1,
    no_speech_prob: 0,
  };
  const base = { task: 'transcribe', duration: 7, text: '好', language: 'zh' };
  const segments = [{ id: 0, start: 1.5, end: 2, text: '好', ...figures }];
  const words = [{ word: '好', start: 0.1, end: 0.4 }];
  assert.deepEqual(json(transcript, 'verbose_json'), { ...base, segments });
  assert.deepEqual(json(transcript, 'verbose_json', { timestampGranularities: ['word', 'segment'] }), {
    ...base,
    segments,
    words,
  });
  assert.deepEqual(json(transcript, 'verbose_json', { timestampGranularities: ['word'] }), {
    ...base,
    words,
  });
});

test('an empty transcript is valid in every format', () => {
  assert.deepEqual(json(empty, 'json'), { task: 'transcribe', duration: 0, text: '', segments: [] });
  assert.deepEqual(json(empty, 'diarized_json'), { task: 'transcribe', duration: 0, text: '', segments: [] });
  assert.equal(body(empty, 'text'), '');
  assert.equal(body(empty, 'srt'), '');
  assert.equal(body(empty, 'vtt'), 'WEBVTT\n\n');
});

test('subtitles go beyond an hour and round into the next second', () => {
  const late = {
    ...empty,
    segments: [spoken({ startSeconds: 3599.9996, endSeconds: 14_399.0005, text: '好' })],
  };
  assert.equal(body(late, 'srt'), '1\n01:00:00,000 --> 03:59:59,001\n好\n\n');
  assert.equal(body(late, 'vtt'), 'WEBVTT\n\n01:00:00.000 --> 03:59:59.001\n好\n\n');
});

test('cue text cannot end its cue or start another', () => {
  const hostile = {
    ...empty,
    segments: [spoken({ text: 'a\r\n\r\n2\n00:00 --> 00:01\n\n<b>&' }), spoken({ text: ' ' })],
  };
  assert.equal(body(hostile, 'srt'), '1\n00:00:00,000 --> 00:00:01,000\na\n2\n00:00 → 00:01\n<b>&\n\n');
  assert.equal(
    body(hostile, 'vtt'),
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\na\n2\n00:00 --&gt; 00:01\n&lt;b&gt;&amp;\n\n',
  );
});

test('whatever the segments, ids count from 0, no segment ends before it starts, and a cue is one block', () => {
  const anySegment = fc
    .record({
      startSeconds: fc.double({ min: -1, max: 2e4, noNaN: true }),
      endSeconds: fc.double({ min: -1, max: 2e4, noNaN: true }),
      text: fc.string({ unit: 'grapheme' }),
    })
    .map(spoken);
  fc.assert(
    fc.property(fc.array(anySegment, { maxLength: 8 }), (segments) => {
      const transcript = { ...empty, segments };
      const shown = json(transcript, 'json') as { segments: { id: number; start: number; end: number }[] };
      shown.segments.forEach(({ id, start, end }, index) => {
        assert.ok(id === index && start >= 0 && start <= end);
      });
      const cues = segments.filter(({ text }) => text.trim() !== '').length;
      assert.equal(body(transcript, 'vtt').split('\n\n').length, cues + 2);
      assert.equal(body(transcript, 'srt').split('-->').length, cues + 1);
    }),
  );
});

test('each format names its content type', () => {
  const types = requestOptions.response_format.values.map(
    (responseFormat) => formatTranscript(empty, { responseFormat }).contentType,
  );
  const [object, text] = ['application/json; charset=utf-8', 'text/plain; charset=utf-8'];
  assert.deepEqual(types, [object, object, text, text, 'text/vtt; charset=utf-8', object]);
});

function body(
  transcript: Transcript,
  responseFormat: FormatOptions['responseFormat'],
  options: Partial<FormatOptions> = {},
): string {
  return formatTranscript(transcript, { responseFormat, ...options }).body;
}

function json(...request: Parameters<typeof body>): unknown {
  return JSON.parse(body(...request));
}

/** A segment with figures for `verbose_json`. */
function spoken(given: Partial<Segment>): Segment {
  const figures = { tokens: [1, 2], averageLogProbability: -0.2, compressionRatio: 1.1 };
  return segment({ language: 'zh', ...figures, ...given });
}
