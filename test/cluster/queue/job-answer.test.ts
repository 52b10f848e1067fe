import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { serialize } from 'node:v8';
import {
  maxAnswerBytes,
  packErrorAnswer,
  packResultAnswer,
  unpackAnswer,
} from '../../../src/cluster/queue/job-answer.ts';
import { windowCodec } from '../../../src/cluster/queue/window-codec.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import type { RecognisedWindow, WindowResult } from '../../../src/speech/windows/window-messages.ts';

const recognised: RecognisedWindow = {
  language: 'nan',
  noSpeechProbability: 1e-12,
  temperature: 0.2,
  averageLogProbability: -0.123_456_789_012_345,
  compressionRatio: 1.5,
  looped: false,
  tokens: [50_364, 7, 50_464],
  segments: [
    {
      startSeconds: 0.02,
      endSeconds: 1.98,
      text: '聲 "quoted" \u2028 😀',
      tokens: [7],
      logProbabilities: [-0.1],
      words: [{ text: '聲', startSeconds: 0.02, endSeconds: 1.98, probability: 0.999_999_999_9 }],
    },
  ],
};
const secret = 'what the patient said';

describe('the answer of a worker', () => {
  it('comes back as it was, to the last digit', () => {
    const results: WindowResult[] = [
      { recognised },
      { languages: [{ language: 'en', startSeconds: 0, endSeconds: 3.3 }] },
    ];
    for (const result of results) assert.deepEqual(unpack(packResultAnswer(windowCodec, result)), result);
  });

  it('is small beside its limit, for thirty seconds of quick speech', () => {
    const segment = { ...recognised.segments[0]!, text: '聲'.repeat(10) };
    const words = Array.from({ length: 20 }, () => segment.words[0]!);
    const segments = Array.from({ length: 25 }, () => ({
      ...segment,
      words,
      tokens: Array(20).fill(50_000),
    }));
    const bytes = packResultAnswer(windowCodec, { recognised: { ...recognised, segments } });
    assert.ok(bytes.length < maxAnswerBytes(windowCodec) / 4, String(bytes.length));
  });

  it('may be an error, with its code and its causes', () => {
    const sent = new ServiceError('invalid_value', {
      message: 'no',
      param: 'language',
      cause: new RangeError('deep'),
    });
    assert.throws(
      () => unpack(packErrorAnswer(sent)),
      (error) => {
        assert.ok(
          error instanceof ServiceError && error.code === 'invalid_value' && error.param === 'language',
        );
        assert.equal((error.cause as Error).name, 'RangeError');
        return true;
      },
    );
    assert.throws(() => unpack(packErrorAnswer(new Error('x'.repeat(1_000_000)))), /^Error: x{1000}$/);
  });

  const { segments, ...rest } = recognised;
  const [segment] = segments;
  const refused: Record<string, Buffer> = {
    nothing: Buffer.alloc(0),
    'one byte': Buffer.from([1]),
    'an unknown kind': Buffer.from([7, ...Buffer.from('{}')]),
    'structured clone': answer(1, serialize({ recognised })),
    'structured clone that asks for 4 GB': answer(1, Buffer.from('ff0f5cffffffff0f', 'hex')),
    text: answer(1, secret),
    'another object': answer(1, '{"recognised":{}}'),
    'no object': answer(1, '[]'),
    'a field too many': answer(1, { recognised: { ...recognised, more: secret } }),
    'a prototype': answer(1, `{"recognised":${JSON.stringify(recognised)},"__proto__":{"x":1}}`),
    'an unknown language': answer(1, { recognised: { ...recognised, language: secret } }),
    'a time far away': answer(1, { recognised: { ...rest, segments: [{ ...segment, endSeconds: 1e9 }] } }),
    'an infinite time': answer(1, `{"languages":[{"language":"en","startSeconds":0,"endSeconds":1e999}]}`),
    'no number': answer(1, { recognised: { ...recognised, averageLogProbability: null } }),
    'a token that is none': answer(1, { recognised: { ...recognised, tokens: [0.5] } }),
    'very many segments': answer(1, { recognised: { ...rest, segments: Array(501).fill(segment) } }),
    'a very long text': answer(1, {
      recognised: { ...rest, segments: [{ ...segment, text: 'x'.repeat(20_001) }] },
    }),
    'very many bytes': answer(1, `${JSON.stringify({ recognised })}${' '.repeat(600_000)}`),
    'deep nesting': answer(1, '['.repeat(200_000)),
    'an error without a message': answer(0, { name: 'Error' }),
    'an error with an unknown code': answer(0, { name: 'E', message: 'm', service: { code: 'constructor' } }),
    'an error that shall be tried in a year': answer(0, {
      name: 'E',
      message: 'm',
      service: { code: 'unavailable', retryAfterSeconds: 31_536_000 },
    }),
    'an error with very many causes': answer(0, nested(50)),
    'a very long error': answer(0, { name: 'E', message: secret.repeat(100) }),
  };
  for (const [what, bytes] of Object.entries(refused)) {
    it(`is refused when it is ${what}, and nothing of it is repeated`, () => {
      const before = process.cpuUsage();
      assert.throws(
        () => unpack(bytes),
        (error) => {
          assert.ok(error instanceof ServiceError && error.code === 'unavailable', String(error));
          assert.equal(error.retryAfterSeconds, 5);
          assert.ok(error.cause instanceof Error);
          // Of the processor, since the machine may be busy with something else.
          assert.ok(process.cpuUsage(before).user < 100_000, 'nobody waits for long');
          assert.doesNotMatch(`${error.message} ${error.cause.stack}`, /patient/);
          return true;
        },
      );
    });
  }
});

function unpack(bytes: Buffer): WindowResult {
  return unpackAnswer(windowCodec, bytes);
}

function answer(kind: 0 | 1, content: Buffer | string | object): Buffer {
  const isText = typeof content === 'string';
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(isText ? content : JSON.stringify(content));
  return Buffer.concat([Buffer.from([kind]), bytes]);
}

function nested(depth: number): object {
  return { name: 'E', message: 'm', ...(depth > 0 && { cause: nested(depth - 1) }) };
}
