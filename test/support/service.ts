import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  createOpenApiValidator,
  type OpenApiValidator,
} from '../../bench/hostile/inputs/openapi-validator.ts';
import type { Plans } from '../../src/accounts/projects/plans.ts';
import type { OpenApiDocument } from '../../src/http/docs/openapi.ts';
import { createServiceLog } from '../../src/operations/service-log.ts';
import { loadConfig } from '../../src/settings/config.ts';
import type { Recogniser } from '../../src/speech/recogniser.ts';
import type { CreateRecogniser } from '../../src/wiring/create-recogniser.ts';
import { createService, type Service } from '../../src/wiring/create-service.ts';
import type { Environment } from '../../wire/account.ts';
import { scriptedStreams } from './scripted-streams.ts';

export type TestServiceOptions = {
  /** Settings over those of the test: any free ports, a data folder of its own. */
  env?: Record<string, string>;
  /** By default one that recognises nothing and loads no model. */
  recogniser?: Recogniser | CreateRecogniser;
  plans?: Plans;
  plan?: string;
  /** The data of a service that was there before; it is not removed. */
  dataFolder?: string;
};

export type TestService = AsyncDisposable & {
  service: Service;
  addresses: Record<Environment, string>;
  ports: Record<Environment, number>;
  /** A key of each environment, of one project on the plan asked for. */
  keys: Record<Environment, string>;
  projectId: string;
  /** The certificate of the authority to trust, and where it lies. */
  ca: string;
  caPath: string;
  dataFolder: string;
  /** What was logged, a parsed line each. */
  logged: Record<string, unknown>[];
  /** A request to one environment over TLS, with its key unless headers say otherwise. */
  fetch(path: string, options?: TestRequest): Promise<TestResponse>;
};

export type TestRequest = {
  environment?: Environment;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  agent?: RequestOptions['agent'];
};

export type TestResponse = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json(): unknown;
};

const description = '/v1/openapi.json';

/** The whole service in this process, on free ports with a temporary data folder. */
export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const dataFolder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), 'siann-service-')));
  const config = loadConfig({
    SIANN_DATA: dataFolder,
    SIANN_PORT: '0',
    SIANN_TEST_PORT: '0',
    SIANN_INSTANCE: 'test',
    ...options.env,
  });
  const logged: Record<string, unknown>[] = [];
  const log = createServiceLog({
    level: config.logLevel,
    output: { write: (line) => logged.push(JSON.parse(line)) },
  });
  const { recogniser = silentRecogniser() } = options;
  const service = await createService({
    config,
    log,
    createRecogniser: typeof recogniser === 'function' ? recogniser : async () => recogniser,
    ...(options.plans && { plans: options.plans }),
  });
  const { accounts, addresses } = service;
  const project = await accounts.projects.create({
    name: `tests ${Date.now()} ${Math.random()}`,
    plan: options.plan ?? 'enterprise',
  });
  const keyOf = async (environment: Environment) =>
    (await accounts.keys.create({ project: project.id, environment })).key;
  const keys = { live: await keyOf('live'), test: await keyOf('test') };
  const caPath = join(dataFolder, 'tls', 'ca.pem');
  const ca = service.authorityPath ? await readFile(caPath, 'utf8') : '';
  const ports = { live: Number(new URL(addresses.live).port), test: Number(new URL(addresses.test).port) };

  let validator: OpenApiValidator | undefined;

  async function ask(path: string, options: TestRequest): Promise<TestResponse> {
    const { environment = 'live', method = 'GET', headers = {}, body, agent = false } = options;
    const request = httpsRequest({
      host: '127.0.0.1',
      servername: 'localhost',
      port: ports[environment],
      path,
      method,
      ca,
      agent,
      headers: { authorization: `Bearer ${keys[environment]}`, ...headers },
    });
    const answered = new Promise<TestResponse>((resolve, reject) => {
      request.on('error', reject);
      request.on('response', (response) => {
        text(response).then((content) => {
          const { statusCode = 0, headers } = response;
          resolve({ status: statusCode, headers, text: content, json: () => JSON.parse(content) });
        }, reject);
      });
    });
    request.end(body);
    return answered;
  }

  return {
    service,
    addresses,
    ports,
    keys,
    projectId: project.id,
    ca,
    caPath,
    dataFolder,
    logged,
    async fetch(path, request = {}) {
      const { method = 'GET' } = request;
      const isDocument = path === description || path === '/v1/asyncapi.json';
      const isDescribed = path.startsWith('/v1/') && !isDocument && !/HEAD|OPTIONS/.test(method);
      if (!isDescribed) return ask(path, request);
      // Every answer of the interface that any test sees is what the interface's description says.
      validator ??= createOpenApiValidator((await ask(description, {})).json() as OpenApiDocument);
      const answer = await ask(path, request);
      const contentType = answer.headers['content-type'] as string | undefined;
      validator.assertDescribed({ method, path, status: answer.status, contentType, body: answer.text });
      return answer;
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      if (!options.dataFolder) await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

/** Reads everything and recognises nothing. */
export function silentRecogniser(): Recogniser {
  return {
    // biome-ignore lint/correctness/useYield: nothing is recognised.
    async *transcribe(bytes) {
      for await (const _chunk of bytes);
      return { durationSeconds: 1 };
    },
    stream: scriptedStreams(),
    ready: async () => {},
    load: () => ({ processes: 1, busySlots: 0, queued: 0, restarts: 0, rssBytes: 0 }),
    async [Symbol.asyncDispose]() {},
  };
}
