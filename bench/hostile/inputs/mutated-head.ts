import type { Random } from '../../../evaluation/random.ts';
import type { MutatedRequest, RequestContext } from './mutated-request.ts';
import { chunkedBody, type Header, wireRequest } from './wire.ts';

const paths = [
  '/v1/account',
  '/v1/usage',
  '/v1/models',
  '/v1/models/siann-1',
  '/v1/audio/transcriptions',
  '/v1/openapi.json',
  '/docs',
  '/healthz',
  '/readyz',
];
const methods = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'BREW',
];

const pathMutations: ((path: string, random: Random) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.toUpperCase(),
  (path) => `${path}/../../etc/passwd`,
  (path) => `/..%2f..%2f..%2fetc%2fpasswd?${path}`,
  (path) => `${path}/%2e%2e/%2e%2e/etc/passwd`,
  (path) => `${path}\\..\\..\\windows\\win.ini`,
  (path) => `${path}%00.json`,
  (path) => `${path}%0d%0aSet-Cookie:%20a=b`,
  (path) => `${path}%zz`,
  (path) => `${path}%ff%fe`,
  (path) => `${path};a=b`,
  (path) => `${path}#fragment`,
  (path) => `https://elsewhere.example${path}`,
  (path) => path.replace('/v1', '/v1/.'),
  (path) => path.replace('/', '/%'),
  (path, random) => `${path}?${'a=b&'.repeat(random.below(2000))}`,
  (path, random) => `${path}/${'x'.repeat(random.below(9000))}`,
  (path) => `${path}?from=2026-01-01&from=2026-01-02&to[]=1&__proto__[a]=1`,
  (path) => `${path}?from=%00&to=${'9'.repeat(300)}`,
  (path) => `${path}?from=-271821-04-20&to=+275760-09-13`,
  () => '*',
  () => '',
];

const authorizations: ((context: RequestContext) => string)[] = [
  ({ otherKey }) => `Bearer ${otherKey}`,
  ({ key }) => `bearer ${key}`,
  ({ key }) => `Bearer  ${key}`,
  ({ key }) => `Bearer ${key}x`,
  ({ key }) => `Bearer ${key.slice(0, -1)}`,
  ({ key }) => `Bearer ${key}, Bearer ${key}`,
  ({ key }) => `Basic ${Buffer.from(`:${key}`).toString('base64')}`,
  () => `Bearer ${'a'.repeat(8000)}`,
  () => 'Bearer \xff\xfe',
  () => "Bearer sk_live_' OR '1'='1",
  () => '',
];

const extraHeaders: ((random: Random) => Header[])[] = [
  () => [['X-Project-ID', '../../etc']],
  () => [['X-Project-ID', 'a']],
  () => [['X-Project-ID', "'; DROP TABLE projects; --"]],
  () => [['OpenAI-Project', '\xff']],
  () => [['X-Signature', 'v1=00']],
  () => [['X-Signature-Timestamp', '9'.repeat(400)]],
  () => [['X-Forwarded-For', '10.0.0.1, ::1']],
  () => [['X-Forwarded-Proto', 'http']],
  () => [['X-Request-Id', 'mine\x01']],
  () => [['X-HTTP-Method-Override', 'DELETE']],
  () => [['Accept', 'text/plain;q=999999, */*;q=-1']],
  () => [['Accept-Encoding', 'gzip, br, \x00']],
  () => [['Content-Encoding', 'gzip']],
  () => [['Expect', '100-continue']],
  () => [['Expect', 'a miracle']],
  () => [
    ['Upgrade', 'websocket'],
    ['Connection', 'Upgrade'],
    ['Sec-WebSocket-Key', 'AAAA'],
  ],
  () => [
    ['Upgrade', 'h2c'],
    ['Connection', 'Upgrade, HTTP2-Settings'],
  ],
  () => [['Transfer-Encoding', 'gzip, chunked']],
  () => [
    ['Transfer-Encoding', 'chunked'],
    ['Transfer-Encoding', 'identity'],
  ],
  () => [
    ['Content-Length', '5'],
    ['Content-Length', '6'],
  ],
  () => [['Content-Length', '-1']],
  () => [['Content-Length', '0x10']],
  () => [['Content-Length', '18446744073709551617']],
  () => [['Content-Type', 'application/json']],
  () => [['Content-Type', `multipart/form-data; boundary=${'b'.repeat(5000)}`]],
  () => [['Content-Type', ';;;;boundary==']],
  () => [['Host', 'elsewhere.example']],
  () => [['Range', 'bytes=0-0,-1']],
  () => [['Origin', 'null']],
  () => [['Access-Control-Request-Method', 'PUT']],
  () => [['Cookie', 'a=b; '.repeat(500)]],
  () => [['traceparent', '00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-01']],
  () => [['X: y\r\nInjected', 'yes']],
  () => [['X\nInjected', 'yes']],
  () => [[' Folded', 'yes']],
  () => [
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ],
  (random) => [['X'.repeat(1 + random.below(9000)), 'long']],
  (random) => Array.from({ length: random.below(300) }, (_, i): Header => [`X-${i}`, String(i)]),
];

const versions = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/2.0',
  'HTTP/9.9',
  'http/1.1',
  '',
];

/** Request lines and headers as no client should send them, with a body now and then that nobody asked for. */
export function mutatedHead(context: RequestContext): MutatedRequest {
  const { random, key } = context;
  const base = random.pick(paths);
  const method = random.next() < 0.6 ? 'GET' : random.pick(methods);
  const path = random.next() < 0.5 ? base : random.pick(pathMutations)(base, random);
  const version = random.pick(versions);
  // Wrong keys are answered ever later, so there are not many of them.
  const authorization = random.next() < 0.92 ? `Bearer ${key}` : random.pick(authorizations)(context);
  const headers: Header[] = [
    ['Host', 'localhost'],
    ['Authorization', authorization],
  ];
  for (let count = random.below(3); count > 0; count--) headers.push(...random.pick(extraHeaders)(random));
  const body = Buffer.alloc(random.pick([0, 0, 0, 5, 70_000]), 'a');
  const isChunked = body.length > 0 && random.next() < 0.3;
  if (body.length > 0)
    headers.push(isChunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(body.length)]);
  const sent = isChunked ? chunkedBody(body, 1 + random.below(1000)) : body;
  const whole = wireRequest(`${method} ${path} ${version}`.trimEnd(), headers, sent);
  const cut = random.next() < 0.05 ? random.below(whole.length) : whole.length;
  return {
    name: `${method} ${path.slice(0, 80)} ${version}, ${headers
      .slice(2)
      .map(([name]) => name.slice(0, 30))
      .join(', ')}`,
    method,
    path,
    bytes: whole.subarray(0, cut),
    ends: cut < whole.length || random.next() < 0.2,
  };
}
