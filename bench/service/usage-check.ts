import { type Answer, createClient } from './client.ts';
import type { ServedProcess } from './served-process.ts';
import type { BenchKey, ServiceFolder } from './service-folder.ts';

export type UsageCheckOptions = {
  service: Pick<ServedProcess, 'ports' | 'ca'>;
  folder: Pick<ServiceFolder, 'withDatabase'>;
  keys: BenchKey[];
  answers: Answer[];
};

/** Where a key is told something else about its usage than what was answered to it. */
export async function compareUsage({ service, folder, keys, answers }: UsageCheckOptions): Promise<string[]> {
  using client = createClient({ port: service.ports.live, ca: service.ca });
  const owners = await folder.withDatabase(async ({ queries }) => {
    const rows = await queries.selectFrom('ledger_entries').select(['request_id', 'key_id']).execute();
    return new Map(rows.map((row) => [row.request_id, row.key_id]));
  });
  const differences: string[] = [];
  for (const { id, key } of keys) {
    const mine = answers.filter(({ status, requestId }) => status === 200 && owners.get(requestId) === id);
    const seconds = mine.reduce((sum, { body }) => sum + JSON.parse(body).duration, 0);
    const minutes = Math.round((seconds * 100) / 60) / 100;
    const usage = JSON.parse((await client.get('/v1/usage', key)).body);
    const requests = usage.daily.reduce((sum: number, day: { requests: number }) => sum + day.requests, 0);
    if (usage.currentMonth !== minutes || requests !== mine.length)
      differences.push(
        `${id}: ${usage.currentMonth} minutes of ${requests} requests, not ${minutes} of ${mine.length}`,
      );
  }
  return differences;
}
