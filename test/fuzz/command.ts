// `npm run fuzz -- --count 5000 --seed 1`: mutated requests to a real service. A fault names the request; `--from` sends it again.
import { parseArgs } from 'node:util';
import { testModels } from '../support/tiny-model.ts';
import { fuzz } from './fuzz-run.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    verbose: { type: 'boolean', default: false },
  },
});
const started = performance.now();
const { statuses, faults, slowestMs, before, after } = await fuzz({
  count: Number(values.count),
  seed: Number(values.seed),
  from: Number(values.from),
  env: { SIANN_MODEL: 'tiny', SIANN_CACHE: testModels },
  ...(values.verbose && { explain: (line: string) => console.log(line) }),
});
for (const fault of faults) console.log(fault);
console.log(
  JSON.stringify({
    seed: Number(values.seed),
    statuses,
    faults: faults.length,
    seconds: Math.round((performance.now() - started) / 1000),
    slowestSeconds: Math.round(slowestMs / 100) / 10,
    megabytesBefore: Math.round(before.residentBytes / 1e6),
    megabytesAfter: Math.round(after.residentBytes / 1e6),
  }),
);
process.exitCode = faults.length === 0 ? 0 : 1;
