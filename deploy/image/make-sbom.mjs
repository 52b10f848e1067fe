// Writes what Siann is made of, as CycloneDX lists it: node make-sbom.mjs FILE. The same lock file gives the same bytes.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const [, , file] = process.argv;
if (!file) {
  console.error('Say where to: make-sbom.mjs FILE');
  process.exit(2);
}
const options = ['sbom', '--omit=dev', '--package-lock-only', '--sbom-format=cyclonedx', '--loglevel=error'];
const { status, stdout, error } = spawnSync('npm', options, {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
  maxBuffer: 64 * 1024 * 1024,
});
if (status !== 0) {
  console.error(`npm could not list the packages (${error?.message ?? `it ended with ${status}`}).`);
  process.exit(1);
}
const list = JSON.parse(stdout);
// New in every run.
delete list.serialNumber;
delete list.metadata.timestamp;
const unknown = list.components.filter(({ version, hashes }) => !version || !hashes?.length);
if (list.bomFormat !== 'CycloneDX' || list.components.length === 0 || unknown.length > 0) {
  console.error(
    `The list of packages is not whole. Without version or checksum: ${unknown.map(({ name }) => name).join(', ')}`,
  );
  process.exit(1);
}
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(list, undefined, 1)}\n`);
console.log(`${list.components.length} packages in ${file}`);
