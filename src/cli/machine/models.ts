import type { ModelListing } from '../../model/list-models.ts';
import { type Command, parseCommandLine, refuseArguments } from '../command.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { table } from '../terminal/table.ts';

type ListModels = (cacheFolder: string) => Promise<ModelListing[]>;

export const models: Command = async (args, context) => {
  const { listModels } = await import('../../model/list-models.ts');
  return printModels(args, context, listModels);
};

export async function printModels(
  args: string[],
  { stdout, loadConfig }: Pick<Parameters<Command>[1], 'stdout' | 'loadConfig'>,
  listModels: ListModels,
): Promise<number> {
  const { values, positionals } = parseCommandLine(args, { json: { type: 'boolean', default: false } });
  refuseArguments(positionals);
  const config = loadConfig();
  const listings = await listModels(config.cacheFolder);
  if (values.json) {
    for (const listing of listings) stdout.write(`${JSON.stringify(listing)}\n`);
    return exitCodes.ok;
  }
  const rows = listings.map((listing) => [
    `${listing.id}${listing.id === config.model ? ' *' : ''}`,
    `${listing.packageName} ${listing.version}`,
    stateOf(listing),
    megabytes(listing.bytesOnDisk),
    megabytes(listing.memoryBytes),
  ]);
  stdout.write(table([['model', 'package', 'state', 'on disk', 'in memory'], ...rows]));
  stdout.write('* in use; SIANN_MODEL chooses another.\n');
  return exitCodes.ok;
}

/** A container image has a prepared model without the weights that it was made from, so `prepared` is asked first. */
function stateOf({ installed, prepared }: ModelListing): string {
  if (prepared) return 'ready';
  return installed ? 'prepared at first use' : 'not installed: run npm ci';
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
