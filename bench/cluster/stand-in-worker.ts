// A worker of the cluster, in a process of its own, with the stand-in for a recogniser.

import { windowCodec } from '../../src/cluster/queue/window-codec.ts';
import { joinAsWorker } from '../../src/cluster/worker/join-as-worker.ts';
import { createLocalDispatcher, type LocalDispatcher } from '../../src/pool/local-dispatcher.ts';
import type { ArrivedWindow, WindowResult } from '../../src/speech/windows/window-messages.ts';
import { createJobRunner, type StandInSettings } from './stand-in-job.ts';

/** `processes` 0: in this process, for want of memory to start two for each of many workers. */
export type StandInWorkerOptions = StandInSettings & { url: string; group: string; processes: 0 | 1 };

const { url, group, processes, costMs } = JSON.parse(process.argv[2]!) as StandInWorkerOptions;
const quiet = { info() {}, warn() {}, error() {} };
const dispatcher = processes === 0 ? await runHere({ costMs }) : runInProcess({ costMs });
await dispatcher.ready();
const member = await joinAsWorker({
  url,
  group,
  codec: windowCodec,
  dispatcher,
  slotsFor: { realtime: 1, interactive: 1, file: 1 },
  model: 'stand-in',
  version: '0',
  drainMs: 1_000,
  log: quiet,
});
process.send?.('ready');
process.on('disconnect', async () => {
  await member[Symbol.asyncDispose]();
  await dispatcher[Symbol.asyncDispose]();
  process.exit();
});

async function runHere(settings: StandInSettings): Promise<LocalDispatcher<ArrivedWindow, WindowResult>> {
  const runner = await createJobRunner(settings);
  const never = new AbortController().signal;
  return {
    run: (job, { signal = never }) => runner.run(job, signal),
    ready: async () => {},
    stats: () => ({ processes: 1, busySlots: 0, queued: 0, restarts: 0, rssBytes: 0 }),
    async [Symbol.asyncDispose]() {},
  };
}

function runInProcess(settings: StandInSettings): LocalDispatcher<ArrivedWindow, WindowResult> {
  const moduleUrl = new URL('./stand-in-job.ts', import.meta.url);
  return createLocalDispatcher({ moduleUrl, settings, processes: 1, slots: 1 });
}
