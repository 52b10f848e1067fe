import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Priority } from '../../pool/dispatcher.ts';
import { type ClusterKeys, queuePrefix } from '../cluster-keys.ts';

/** What the queue holds of a job. The input lies under a key of its own. */
export type JobRecord = { requestId: string };

export type JobQueues = Record<Priority, Queue<JobRecord>>;

/** BullMQ writes events, and nobody here reads them. */
const keptEvents = 100;

/** One queue for each priority, so that a worker chooses from which to take. */
export function openJobQueues(redis: Redis, keys: ClusterKeys): JobQueues {
  const open = (priority: Priority) => {
    const queue = new Queue<JobRecord>(keys.queueName(priority), {
      connection: redis,
      prefix: queuePrefix,
      streams: { events: { maxLen: keptEvents } },
    });
    // The caller of the failed command gets the error too.
    queue.on('error', () => {});
    return queue;
  };
  return { realtime: open('realtime'), interactive: open('interactive'), file: open('file') };
}

export async function closeJobQueues(queues: JobQueues): Promise<void> {
  await Promise.allSettled(Object.values(queues).map((queue) => queue.close()));
}
