import type { Attack } from './attack.ts';
import { consoleFloods } from './attacks/console-floods.ts';
import { hostileUploads } from './attacks/hostile-uploads.ts';
import { streamFloods } from './attacks/stream-floods.ts';
import { unfinishedRequests } from './attacks/unfinished-requests.ts';

export const attacks: readonly Attack[] = [
  unfinishedRequests,
  ...consoleFloods,
  ...streamFloods,
  ...hostileUploads,
];
