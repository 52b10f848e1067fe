import type { Random } from '../../../evaluation/random.ts';
import { damaged } from './damage.ts';
import type { MutatedRequest, RequestContext } from './mutated-request.ts';
import { type Header, wireRequest } from './wire.ts';

const bodies: Record<string, object> = {
  '/v1/realtime/client_secrets': {
    expires_after: { anchor: 'created_at', seconds: 60 },
    session: { type: 'transcription', audio: { input: { format: { type: 'audio/pcm', rate: 24_000 } } } },
  },
  '/v1/realtime/transcription_sessions': {
    input_audio_format: 'pcm16',
    turn_detection: { type: 'server_vad', silence_duration_ms: 500 },
  },
  '/v1/speech/realtime/tokens': {},
  '/console/api/sign-in': { name: 'somebody', password: 'a long password' },
  '/console/api/setup': { link: 'made-up', name: 'somebody', password: 'a long password' },
  '/console/api/projects': { name: 'mine', plan: 'enterprise' },
};

const strange: ((random: Random) => unknown)[] = [
  () => null,
  () => true,
  () => -1,
  () => 1e308,
  () => '',
  () => '\u0000\ud800',
  () => '聲'.repeat(20_000),
  () => [],
  () => ({}),
  () => ['constructor', 'toString'],
  () => 'constructor',
  () => '__proto__',
  () => ({ toString: 1, valueOf: 1 }),
  (random) => Array.from({ length: random.below(2000) }, (_, i) => i),
  (random) => Object.fromEntries(Array.from({ length: random.below(2000) }, (_, i) => [`key${i}`, i])),
];

const texts: ((whole: string, random: Random) => Buffer)[] = [
  (whole, random) => damaged(Buffer.from(whole), random).bytes,
  (whole) => Buffer.from(`\ufeff${whole}`),
  (whole) => Buffer.from(whole, 'utf16le'),
  (whole) => Buffer.from(`${whole}${whole}`),
  (whole) => Buffer.from(whole.replace('{', '{"__proto__":{"admin":true},"constructor":{"prototype":{}},')),
  (whole) => Buffer.from(`[${whole}]`),
  (_, random) => Buffer.from('['.repeat(1 + random.below(50_000))),
  (_, random) => Buffer.from(`{"a":`.repeat(1 + random.below(8000))),
  () => Buffer.from('{"session":1e99999}'),
  () => Buffer.alloc(0),
];

/** JSON that says something else than its route expects, or is none. */
export function mutatedJson({ random, key }: RequestContext): MutatedRequest {
  const path = random.pick(Object.keys(bodies));
  const whole = JSON.stringify(withStrangeValue(bodies[path]!, random));
  const body = random.next() < 0.4 ? random.pick(texts)(whole, random) : Buffer.from(whole);
  const headers: Header[] = [
    ['Host', 'localhost'],
    ['Authorization', `Bearer ${key}`],
    [
      'Content-Type',
      random.pick(['application/json', 'application/json', 'text/plain', 'application/json;charset=x']),
    ],
    ['Content-Length', String(body.length)],
    ...(random.next() < 0.8 ? [['X-Siann-Console', '1'] as Header] : []),
    ...(random.next() < 0.5 ? [['Cookie', '__Host-siann=made-up'] as Header] : []),
  ];
  return {
    name: `JSON for ${path}: ${body.toString('utf8', 0, 60)}`,
    method: 'POST',
    path,
    bytes: wireRequest(`POST ${path} HTTP/1.1`, headers, body),
    ends: random.next() < 0.2,
  };
}

/** The object with something else in one of its places, or with one place more. */
function withStrangeValue(object: object, random: Random): object {
  const copy = structuredClone(object) as Record<string, unknown>;
  let place = copy;
  for (;;) {
    const names = [...Object.keys(place), 'unknown'];
    const name = random.pick(names);
    const inside = place[name];
    if (typeof inside === 'object' && inside !== null && random.next() < 0.6) {
      place = inside as Record<string, unknown>;
      continue;
    }
    place[name] = random.pick(strange)(random);
    return copy;
  }
}
