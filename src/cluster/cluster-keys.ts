import { createHash } from 'node:crypto';
import type { Priority } from '../pool/dispatcher.ts';

/** Raised whenever the form of a job or an answer changes, or the protocol between nodes and workers. */
const protocolVersion = 3;

export const queuePrefix = 'siann';

/** Names in Redis. Everything of one group lies under them, and nothing else does. */
export type ClusterKeys = {
  queueName(priority: Priority): string;
  /** The input of a job and its answer. The queue's own record of the job holds neither. */
  input(id: string): string;
  answer(id: string): string;
  /** Channels: there is work, a job is not wanted any more, and a job of that node has an answer. */
  work: string;
  cancelled: string;
  answered(nodeId: string): string;
  workers: string;
  worker(id: string): string;
};

/**
 * A group is the nodes and workers that understand each other. Its name holds everything that decides over a window's text,
 * so that during an upgrade old and new services each find the workers that recognise as they expect.
 */
export function clusterGroup(agreed: Record<string, string>): string {
  const text = JSON.stringify(Object.entries(agreed).sort());
  return `w${protocolVersion}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

export function clusterKeys(group: string): ClusterKeys {
  const prefix = `${queuePrefix}:${group}`;
  return {
    queueName: (priority) => `${group}-${priority}`,
    input: (id) => `${prefix}:input:${id}`,
    answer: (id) => `${prefix}:answer:${id}`,
    work: `${prefix}:work`,
    cancelled: `${prefix}:cancelled`,
    answered: (nodeId) => `${prefix}:answered:${nodeId}`,
    workers: `${prefix}:workers`,
    worker: (id) => `${prefix}:worker:${id}`,
  };
}

/** Jobs are named after the node that waits for them. */
export function jobIdOf(nodeId: string, number: number): string {
  return `${nodeId}.${number}`;
}

/** Messages name jobs, and anybody on the channel can send one. */
export function isJobOf(nodeId: string, id: string): boolean {
  return (
    id.length <= nodeId.length + 20 && nodeOf(id) === nodeId && /^\d+$/.test(id.slice(nodeId.length + 1))
  );
}

export function nodeOf(jobId: string): string {
  return jobId.slice(0, jobId.lastIndexOf('.'));
}
