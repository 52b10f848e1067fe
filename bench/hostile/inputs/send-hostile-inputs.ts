import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenApiDocument } from '../../../src/http/docs/openapi.ts';
import { leasesClosed } from '../../realtime/open-leases.ts';
import { createClient } from '../../service/client.ts';
import { createClips } from '../../service/clips.ts';
import { compareTotals } from '../../service/ledger-check.ts';
import { type Footprint, type ServedProcess, serve } from '../../service/served-process.ts';
import { createServiceFolder } from '../../service/service-folder.ts';
import { createMutatedRequest } from './create-mutated-request.ts';
import type { MutatedRequest } from './mutated-request.ts';
import { createOpenApiValidator, type OpenApiValidator } from './openapi-validator.ts';
import { type Exchange, exchange } from './raw-exchange.ts';

export type HostileInputOptions = {
  seed: number;
  count: number;
  /** Where to begin, so that one request can be sent again alone. */
  from?: number;
  atOnce?: number;
  env: Record<string, string>;
  explain?(line: string): void;
};

export type HostileInputOutcome = {
  /** How many were answered with each status; `cut` had their connection closed instead. */
  statuses: Record<string, number>;
  faults: string[];
  slowestMs: number;
  before: Footprint;
  after: Footprint;
};

const answeredWithinMs = 10_000;
/** For one that took longer: on a machine with other work, alone is not yet quick. */
const answeredAloneWithinMs = 40_000;
const besideOthersMs = 120_000;
const keyCount = 4;
/** Slow clients are cut off early enough to be seen in time. */
const limits = { SIANN_UPLOAD_IDLE_SECONDS: '4', SIANN_HEADERS_SECONDS: '4' };

/** Sends mutated requests to a real service and notes everything that should not have happened. */
export async function sendHostileInputs(options: HostileInputOptions): Promise<HostileInputOutcome> {
  const { seed, count, from = 0, atOnce = 4, explain = () => {} } = options;
  await using folder = await createServiceFolder();
  const keys = await folder.createKeys(keyCount, 'enterprise');
  await using service = await serve({ dataFolder: folder.path, env: { ...limits, ...options.env } });
  using client = createClient({ port: service.ports.live, ca: service.ca });
  const [speech] = await createClips(4);
  const transcribeSpeech = async () => {
    const { status, body } = await client.transcribe(speech!.wave, keys[0]!.key);
    return `${status} ${JSON.parse(body).text}`;
  };
  const validator = createOpenApiValidator(await documentOf(client));
  const expected = await transcribeSpeech();
  // The process that tells speakers apart is started by the first who asks for them.
  await client.transcribe(speech!.wave, keys[0]!.key, { speaker_diarization: 'true' });
  const before = await service.footprint();

  const statuses: HostileInputOutcome['statuses'] = {};
  const faults: string[] = [];
  const slow: MutatedRequest[] = [];
  let slowestMs = 0;
  let next = from;
  const send = (request: MutatedRequest, withinMs: number) =>
    exchange(request, { port: service.ports.live, ca: service.ca, withinMs });
  const sender = async () => {
    while (next < from + count && service.isRunning()) {
      const index = next++;
      const key = keys[index % keys.length]!.key;
      const request = createMutatedRequest({ seed, index }, { key, otherKey: key.replace('live', 'test') });
      const seen = await send(request, besideOthersMs);
      const status = String(seen.answer?.status ?? 'cut');
      statuses[status] = (statuses[status] ?? 0) + 1;
      slowestMs = Math.max(slowestMs, seen.milliseconds);
      if (seen.milliseconds > answeredWithinMs) slow.push(request);
      const fault = faultOf(request, seen, validator);
      explain(`${index} ${status} ${Math.round(seen.milliseconds)} ms ${request.name}`);
      if (fault) faults.push(`request ${index} of seed ${seed} (${request.name}): ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
  // What had to wait for others is no hang: alone it is quick.
  for (const request of slow) {
    const fault = faultOf(request, await send(request, answeredAloneWithinMs), validator);
    if (fault) faults.push(`${request.name}, alone: ${fault}`);
  }

  if (!service.isRunning())
    return { statuses, faults: [...faults, 'the service ended'], slowestMs, before, after: before };
  // What was given up is cleaned away, and memory that is no longer needed has been found.
  await sleep(1_000);
  const recognised = await transcribeSpeech();
  if (recognised !== expected)
    faults.push(`afterwards a good request gave "${recognised}" instead of "${expected}"`);
  if (!(await leasesClosed({ port: service.ports.live, ca: service.ca, key: keys[0]!.key })))
    faults.push('requests or streams are still open');
  const after = await service.footprint();
  faults.push(...remains(service, before, after));
  await service.stop();
  faults.push(...(await folder.withDatabase(({ queries }) => compareTotals(queries))));
  return { statuses, faults, slowestMs, before, after };
}

async function documentOf(client: ReturnType<typeof createClient>): Promise<OpenApiDocument> {
  return JSON.parse((await client.get('/v1/openapi.json', '')).body);
}

/** What is refused before it is a request at all has the error body too, but is no operation. */
const protocolStatuses = [400, 408, 413, 417, 431];

function faultOf(
  { method, path }: MutatedRequest,
  { answer, hung, milliseconds }: Exchange,
  { assertDescribed }: OpenApiValidator,
): string | undefined {
  if (hung) return `neither answered nor cut within ${Math.round(milliseconds)} ms`;
  if (!answer) return undefined;
  const { status, headers, body } = answer;
  if (status >= 500 && !isOverload(answer)) return `${status} ${body}`;
  if (headers.has('injected') || headers.has('set-cookie')) return 'a header was injected';
  if (!headers.has('x-request-id')) return `${status} without a request id`;
  if (body.includes('root:') || body.includes('node_modules')) return `it tells of the machine: ${body}`;
  if (isUndescribed(method, path, status)) return undefined;
  // What comes after # is no part of the address.
  const seen = {
    method,
    path: path.split('#', 1)[0]!,
    status,
    contentType: headers.get('content-type'),
    body,
  };
  try {
    assertDescribed(protocolStatuses.includes(status) ? { ...seen, ...asNoOperation(seen) } : seen);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The one failure that a service may answer: it has too much to do, and says when to come again. */
function isOverload({ status, headers }: NonNullable<Exchange['answer']>): boolean {
  return status === 503 && /^[1-9]\d*$/.test(headers.get('retry-after') ?? '');
}

function isUndescribed(method: string, path: string, status: number): boolean {
  return (
    method === 'HEAD' ||
    status === 204 ||
    (status === 200 && !path.startsWith('/v1/')) ||
    path.startsWith('/console/api/') ||
    path.startsWith('/v1/openapi.json')
  );
}

/** Operations that describe such a status themselves are held to that. */
function asNoOperation({ method, path }: { method: string; path: string }): { path: string } {
  return { path: method === 'POST' && path === '/v1/audio/transcriptions' ? path : '/' };
}

function remains(service: ServedProcess, before: Footprint, after: Footprint): string[] {
  const faults: string[] = [];
  const failures = service.log().filter(({ level }) => Number(level) >= 50);
  for (const line of failures.slice(0, 20)) faults.push(`it logged ${JSON.stringify(line)}`);
  if (after.children.join() !== before.children.join()) faults.push('an inference process was replaced');
  if (after.openFiles > before.openFiles + 5)
    faults.push(`${after.openFiles} files are open, ${before.openFiles} were before`);
  return faults;
}
