import { after, describe } from 'node:test';
import { dispatcherContract } from '../contract/dispatcher-contract.ts';
import { startRedis } from '../support/redis.ts';
import { scriptedCluster } from './scripted-cluster.ts';

const server = await startRedis();

if (typeof server === 'string') describe('the cluster dispatcher', { skip: server }, () => {});
else {
  after(() => server[Symbol.asyncDispose]());

  dispatcherContract('the cluster dispatcher', async (options) => {
    const cluster = scriptedCluster(server.url);
    const worker = await cluster.openWorker(options);
    const node = await cluster.openNode();
    return {
      run: node.run,
      async [Symbol.asyncDispose]() {
        await node[Symbol.asyncDispose]();
        await worker[Symbol.asyncDispose]();
      },
    };
  });
}
