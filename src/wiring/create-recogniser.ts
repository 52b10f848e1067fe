import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { requestOptions } from '../../wire/request-options.ts';
import { clusterGroup } from '../cluster/cluster-keys.ts';
import { joinAsNode } from '../cluster/node/join-as-node.ts';
import { windowCodec } from '../cluster/queue/window-codec.ts';
import { type ClusterMember, joinAsWorker } from '../cluster/worker/join-as-worker.ts';
import type { DecoderPool } from '../decoding/decoder-pool.ts';
import { type PreparedModel, type PrepareProgress, prepareModel } from '../model/prepare-model.ts';
import { findSpeakerNetwork } from '../model/speaker-network.ts';
import type { LocalDispatcher } from '../pool/local-dispatcher.ts';
import type { PoolLog } from '../pool/process-pool.ts';
import type { Config } from '../settings/config.ts';
import { createWindowStreamRecogniser } from '../speech/live/window-stream-recogniser.ts';
import type { Recogniser } from '../speech/recogniser.ts';
import { createPromptTokeniser } from '../speech/recognition/prompt-tokens.ts';
import { createBuiltInSpeakerModel } from '../speech/speakers/built-in-speaker-model.ts';
import { createSherpaSpeakerModel } from '../speech/speakers/sherpa-speaker-model.ts';
import { createSpeakerTracker } from '../speech/speakers/speaker-tracker.ts';
import { type TranscribeParts, transcribe } from '../speech/transcribe.ts';
import { createVoiceActivity } from '../speech/windows/voice/voice-activity.ts';
import type { ArrivedWindow, WindowResult } from '../speech/windows/window-messages.ts';
import { startDecoders } from './decoder-processes.ts';
import { createOpenParts } from './open-parts.ts';
import {
  type PoolSize,
  sizePool,
  slotsFor,
  startWindowProcesses,
  windowsAtOnceHere,
} from './window-processes.ts';

/** The settings that recognition depends on. */
export type RecognitionConfig = Pick<
  Config,
  | 'role'
  | 'redisUrl'
  | 'model'
  | 'adapter'
  | 'precision'
  | 'speakerModelFolder'
  | 'cacheFolder'
  | 'processes'
  | 'threads'
  | 'memoryLimitMegabytes'
  | 'decoders'
  | 'decoderMemoryMegabytes'
  | 'drainSeconds'
>;

export type RecogniserOptions = {
  config: RecognitionConfig;
  onPrepare?: (progress: PrepareProgress) => void;
  /** This thread serves others: audio is decoded in processes of its own, and tables are read before the first request. */
  servesOthers?: boolean;
  log?: PoolLog & { error(fields: object, message: string): void };
};

export type CreateRecogniser = (options: RecogniserOptions) => Promise<Recogniser>;

/** Puts the recogniser together, from top to bottom. It is taken apart in reverse. */
export const createRecogniser: CreateRecogniser = async (options) => {
  const { config, log } = options;
  const { keep, closeAll } = createOpenParts();

  try {
    const model = await prepare(options);
    const size = sizePool(config);
    const decoders = options.servesOthers ? keep(startDecoders(config, model, log)) : undefined;
    const recognition = keep(await createRecognition(options, model, size));
    const voice = keep(await createVoiceActivity({ graphPath: model.voiceActivityPath }));
    const speakers = { threads: size.threads, ...(log && { log }) };
    const speakerModel = keep(
      config.speakerModelFolder
        ? await createSherpaSpeakerModel({ ...speakers, folder: config.speakerModelFolder })
        : createBuiltInSpeakerModel({ ...speakers, findNetwork: findSpeakerNetwork }),
    );
    const parts: TranscribeParts = {
      dispatcher: recognition.dispatcher,
      windowsAtOnce: recognition.windowsAtOnce,
      ...(decoders && { decodeFile: decoders.decodeFile }),
      voice,
      speakerModel,
      tokenisePrompt: createPromptTokeniser({
        modelFolder: model.modelFolder,
        usedBytes: requestOptions.prompt.usedBytes,
        preload: options.servesOthers ?? false,
      }),
      taiwanese: model.adapted,
    };

    return {
      transcribe: (bytes, given) => transcribe(bytes, given, parts),
      stream: createWindowStreamRecogniser(parts),
      trackSpeakers: () =>
        createSpeakerTracker({
          model: speakerModel,
          run: { requestId: randomUUID(), priority: 'realtime' },
          ...(log && { log }),
        }),
      ...(decoders && { decoding: decoders }),
      ready: () => bothReady(recognition, decoders),
      load: () => ({ ...recognition.load(), ...(decoders && { decoders: decoders.stats() }) }),
      [Symbol.asyncDispose]: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
};

async function bothReady(recognition: Recognition, decoders: DecoderPool | undefined): Promise<void> {
  await Promise.all([recognition.ready(), decoders?.ready()]);
}

export type RecognitionWorker = ClusterMember & Pick<Recogniser, 'ready' | 'load'>;

/** A worker: inference processes that recognise the windows of other machines. */
export async function createRecognitionWorker(options: RecogniserOptions): Promise<RecognitionWorker> {
  const { config, log } = options;
  const model = await prepare(options);
  const processes = startWindowProcesses(config, model, sizePool(config), log);
  try {
    const member = await takeWindowsOfOthers(options, processes);
    return {
      ping: member.ping,
      ready: () => processes.ready(),
      load: () => processes.stats(),
      async [Symbol.asyncDispose]() {
        await member[Symbol.asyncDispose]();
        await processes[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await processes[Symbol.asyncDispose]();
    throw error;
  }
}

type Recognition = AsyncDisposable &
  Pick<TranscribeParts, 'dispatcher' | 'windowsAtOnce'> &
  Pick<Recogniser, 'ready' | 'load'>;

/** Where windows are recognised: in processes of this machine, on other machines, or on both. */
async function createRecognition(
  options: RecogniserOptions,
  model: PreparedModel,
  size: PoolSize,
): Promise<Recognition> {
  const { config, log = silent } = options;
  const local = config.role === 'api' ? undefined : startWindowProcesses(config, model, size, options.log);
  if (local && config.redisUrl === undefined) {
    return {
      dispatcher: local,
      windowsAtOnce: windowsAtOnceHere(size),
      ready: () => local.ready(),
      load: () => local.stats(),
      [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
    };
  }
  const member = local && (await takeWindowsOfOthers(options, local));
  const node = await joinAsNode({ url: config.redisUrl!, group: groupOf(config), codec: windowCodec, log });
  return {
    dispatcher: node.dispatcher,
    windowsAtOnce: node.windowsAtOnce,
    ready: node.ready,
    // Restarts and memory are those of this machine. Other machines count their own.
    load: () => ({ restarts: 0, rssBytes: 0, ...local?.stats(), ...node.load() }),
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]();
      await member?.[Symbol.asyncDispose]();
      await local?.[Symbol.asyncDispose]();
    },
  };
}

async function takeWindowsOfOthers(
  { config, log = silent }: RecogniserOptions,
  dispatcher: LocalDispatcher<ArrivedWindow, WindowResult>,
): Promise<ClusterMember> {
  return joinAsWorker({
    url: config.redisUrl!,
    group: groupOf(config),
    codec: windowCodec,
    dispatcher,
    slotsFor,
    model: config.model,
    version: await ownVersion(),
    drainMs: config.drainSeconds * 1000,
    log,
  });
}

function groupOf({ model, adapter, precision }: RecognitionConfig): string {
  return clusterGroup({ model, adapter, precision });
}

function prepare({ config, onPrepare }: RecogniserOptions): Promise<PreparedModel> {
  return prepareModel({
    model: config.model,
    adapter: config.adapter,
    precision: config.precision,
    cacheFolder: config.cacheFolder,
    ...(onPrepare && { onProgress: onPrepare }),
  });
}

async function ownVersion(): Promise<string> {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return JSON.parse(manifest).version;
}

const silent = { info() {}, warn() {}, error() {} };
