// Removes from an installation what an image with prepared models does not need at run time: node prune.mjs APP [MODEL]
import { readdirSync, rmSync, statSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';

const [, , app, model = 'small'] = process.argv;
if (!app) {
  console.error('Say which folder: prune.mjs APP [MODEL]');
  process.exit(2);
}
const packages = join(app, 'node_modules');
const remove = (...parts) => rmSync(join(...parts), { recursive: true, force: true });

// Engines for other platforms.
const engines = join(packages, 'onnxruntime-node/bin/napi-v6');
for (const system of readdirSync(engines)) {
  for (const kind of readdirSync(join(engines, system)))
    if (system !== platform() || kind !== arch()) remove(engines, system, kind);
}
const musl = readdirSync(join(packages, '@libsql')).filter((name) => name.endsWith('-musl'));
for (const name of musl) remove(packages, '@libsql', name);

// Weights: of the model in use the prepared graphs are there, and its vocabulary stays.
for (const other of ['small', 'base', 'tiny']) {
  if (other !== model) remove(packages, `sts-whisper-${other}`);
  else remove(packages, `sts-whisper-${other}`, 'models/Xenova', `whisper-${other}`, 'onnx');
}
for (const adapter of readdirSync(join(app, 'weights')).filter((name) => name.startsWith('adapter-')))
  remove(app, 'weights', adapter);
remove(packages, '@ricky0123/vad-web/dist');

// SIANN_SPEAKER_MODEL needs it; the network that comes with Siann does not.
for (const name of readdirSync(packages).filter((name) => name.startsWith('sherpa-onnx')))
  remove(packages, name);

// OpenTelemetry comes three times over; Node loads build/src.
const telemetry = join(packages, '@opentelemetry');
for (const name of readdirSync(telemetry)) {
  remove(telemetry, name, 'build/esm');
  remove(telemetry, name, 'build/esnext');
}

// What only people and editors read. Licences stay.
for (const path of readdirSync(packages, { recursive: true })) {
  const file = join(packages, path);
  if (/\.(map|d\.[cm]?ts)$/.test(path) && statSync(file, { throwIfNoEntry: false })?.isFile()) remove(file);
}
