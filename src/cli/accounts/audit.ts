import type { AuditEntry } from '../../../wire/console.ts';
import { createAuditReader } from '../../accounts/audit/audit-log.ts';
import { type Command, UsageError } from '../command.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { onDatabase, parseAction, print, tableOr } from './account-command.ts';

/** Who changed what, when and from where. The newest change comes first. */
export const audit: Command = async (args, context) => {
  const { values } = parseAction(args, [], {
    limit: { type: 'string', default: '50' },
    before: { type: 'string' },
  });
  if (!/^\d{1,4}$/.test(values.limit)) throw new UsageError('--limit is a number up to 1000.');
  await onDatabase(context, async (accountContext) => {
    const readAuditLog = createAuditReader(accountContext);
    const { entries, next } = await readAuditLog({ before: values.before, limit: Number(values.limit) });
    const heading = ['time (UTC)', 'who', 'through', 'from', 'what', 'on'];
    const text = tableOr('Nothing has been changed yet.', heading, entries.map(rowOf));
    const more = next === null ? '' : `Older ones: siann audit --before ${next}\n`;
    print(accountContext, values.json, entries, `${text}${more}`);
  });
  return exitCodes.ok;
};

function rowOf({ at, actor, source, address, action, target, details }: AuditEntry): string[] {
  const changes = Object.entries(details ?? {}).map(([name, value]) => `${name} ${value || 'nothing'}`);
  const what = changes.length > 0 ? `${action}: ${changes.join(', ')}` : action;
  return [at.replace('T', ' ').slice(0, 19), actor, source, address ?? '', what, target.name ?? ''];
}
