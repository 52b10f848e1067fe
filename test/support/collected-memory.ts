import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** The memory of this process without what only waits to be collected: how much that is depends on the version of Node.js. */
export function collectedBytes(): number {
  collectGarbage();
  return process.memoryUsage().rss;
}
