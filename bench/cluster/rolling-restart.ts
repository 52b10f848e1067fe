import type { Explain, Figure } from '../figures/figure.ts';
import { createClips } from '../service/clips.ts';
import { createBalancer } from './balancer.ts';
import { startCluster } from './cluster.ts';

export type RollingRestartOptions = { env: Record<string, string>; atOnce: number; explain: Explain };

/** Every process is stopped and started again, one after another, while requests come without a pause. */
export async function measureRollingRestart(options: RollingRestartOptions): Promise<Figure[]> {
  const { env, atOnce, explain } = options;
  const clips = await createClips(3);
  await using cluster = await startCluster({ apis: 2, workers: 2, env });
  const keys = await cluster.folder.createKeys(atOnce, 'enterprise');
  using balancer = createBalancer(cluster.apis, cluster.ca);
  const failures: string[] = [];
  let answered = 0;
  let restarting = true;
  const call = async (caller: number) => {
    for (let request = caller; restarting; request++) {
      const { wave } = clips[request % clips.length]!;
      try {
        const { status, body } = await balancer.transcribe(wave, keys[caller]!.key);
        if (status === 200) answered++;
        else failures.push(`${status} ${body.slice(0, 200)}`);
      } catch (error) {
        failures.push(String(error));
      }
    }
  };
  const restartAll = async () => {
    for (const node of [...cluster.workers, ...cluster.apis]) {
      await node.stop();
      await node.start();
      explain(`${node.name} was restarted: ${answered} answered, ${failures.length} failed so far`);
    }
    restarting = false;
  };
  await Promise.all([restartAll(), ...Array.from({ length: atOnce }, (_, caller) => call(caller))]);
  for (const failure of failures) explain(failure);
  return [
    {
      id: 'restart/failed',
      what: `2 API nodes and 2 workers restarted one after another under load: failed requests`,
      value: failures.length,
      bar: '0, and some answered',
      met: failures.length === 0 && answered > 0,
      note: `${answered} answered, ${balancer.reconnections()} connections made again`,
    },
  ];
}
