import { access, constants, mkdir, readFile, statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism, freemem } from 'node:os';
import { type Config, ConfigError, loadConfig as loadDefaults } from '../../settings/config.ts';

/** Checks one thing that Siann needs. When it is not right, the sentence says what to do. */
export type Check = { name: string; run(): Promise<CheckResult> };
type CheckResult = { ok: boolean; sentence: string };

export function machineChecks(loadConfig: () => Config): Check[] {
  // When a setting is bad, the other checks use the defaults.
  const config = () => {
    try {
      return loadConfig();
    } catch {
      return loadDefaults({});
    }
  };
  return [
    { name: 'Node.js', run: async () => checkNode(process.versions.node) },
    { name: 'Platform', run: async () => checkPlatform(process.platform, process.arch) },
    { name: 'Settings', run: async () => checkSettings(loadConfig) },
    { name: 'Packages', run: async () => checkPackages(config().model) },
    { name: 'Weights', run: () => checkWeights(config()) },
    { name: 'Inference engine', run: checkEngine },
    { name: 'Processor', run: async () => describeProcessor(await readProcessorFlags()) },
    { name: 'Memory', run: async () => checkMemory(freeMemory(), config().memoryLimitMegabytes) },
    { name: 'Data folder', run: () => checkDataFolder(config().dataFolder) },
    { name: 'Disk space', run: () => checkDiskSpace(config().dataFolder) },
  ];
}

async function checkWeights({ model: id, adapter, precision, cacheFolder }: Config): Promise<CheckResult> {
  const { publishedModel } = await import('../../model/catalogue.ts');
  const { verifyWeights } = await import('../../model/prepare-model.ts');
  const { findPrepared } = await import('../../model/prepared-cache.ts');
  const model = publishedModel(id, adapter);
  const isInstalled = await access(model.encoder.path).then(
    () => true,
    () => false,
  );
  // A container image has the prepared model instead of the published weights.
  if (!isInstalled && (await findPrepared(model, cacheFolder, precision)))
    return { ok: true, sentence: `${id} is prepared, and what was published is no longer needed.` };
  await verifyWeights(model);
  return { ok: true, sentence: `the files of ${id} are what was published.` };
}

export function checkNode(version: string): CheckResult {
  const ok = Number(version.split('.')[0]) >= 20;
  return {
    ok,
    sentence: ok ? `version ${version}.` : `version ${version} is too old. Install Node.js 20 or newer.`,
  };
}

export function checkPlatform(platform: string, arch: string): CheckResult {
  const ok = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'win32-x64', 'win32-arm64'].includes(
    `${platform}-${arch}`,
  );
  const sentence = ok
    ? `${platform} ${arch}.`
    : `there is no inference engine for ${platform} ${arch}. Use Linux on x64 or arm64.`;
  return { ok, sentence };
}

export function checkSettings(loadConfig: () => Config): CheckResult {
  try {
    const { model, dataFolder } = loadConfig();
    return { ok: true, sentence: `model ${model}, data in ${dataFolder}.` };
  } catch (error) {
    if (error instanceof ConfigError) return { ok: false, sentence: error.message };
    throw error;
  }
}

const require = createRequire(import.meta.url);

function checkPackages(model: string): CheckResult {
  const missing = [`sts-whisper-${model}`, 'onnxruntime-node', '@ricky0123/vad-web'].filter(
    (name) => !require.resolve.paths(name)?.some((folder) => canRequire(`${folder}/${name}/package.json`)),
  );
  if (missing.length === 0) return { ok: true, sentence: 'the weights and the engine are installed.' };
  return { ok: false, sentence: `${missing.join(' and ')} not found. Run npm ci in the project folder.` };
}

function canRequire(path: string): boolean {
  try {
    require.resolve(path);
    return true;
  } catch {
    return false;
  }
}

async function checkEngine(): Promise<CheckResult> {
  try {
    await import('onnxruntime-node');
    return { ok: true, sentence: 'onnxruntime loads.' };
  } catch (error) {
    const sentence = `onnxruntime does not load (${(error as Error).message}). Run npm ci again, on a system with glibc.`;
    return { ok: false, sentence };
  }
}

/** Instruction sets that make int8 arithmetic quick, as Linux names them, best first. */
const notableFlags: Record<string, string> = {
  amx_int8: 'AMX',
  avx512_vnni: 'AVX-512 VNNI',
  avx_vnni: 'AVX-VNNI',
  avx2: 'AVX2',
  i8mm: 'I8MM',
  asimddp: 'DOTPROD',
};

export function describeProcessor(flags: ReadonlySet<string> | undefined): CheckResult {
  const cores = `${availableParallelism()} cores`;
  if (flags === undefined)
    return { ok: true, sentence: `${cores}; its features cannot be read on this system.` };
  const found = Object.entries(notableFlags).flatMap(([flag, name]) => (flags.has(flag) ? [name] : []));
  if (found.length > 0) return { ok: true, sentence: `${cores}, with ${found.join(', ')}.` };
  return {
    ok: true,
    sentence: `${cores}, without fast int8 arithmetic: expect it to be slow. SIANN_MODEL=base is lighter.`,
  };
}

async function readProcessorFlags(): Promise<ReadonlySet<string> | undefined> {
  const text = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
  const line = /^(?:flags|Features)\s*:\s*(.*)$/m.exec(text)?.[1];
  return line === undefined ? undefined : new Set(line.split(' '));
}

/** The memory that a container may still use, which newer releases of Node.js know; otherwise the machine's free memory. */
export function freeMemory(): number {
  return process.availableMemory?.() ?? freemem();
}

export function checkMemory(freeBytes: number, neededMegabytes: number): CheckResult {
  const free = Math.round(freeBytes / 2 ** 20);
  if (free >= neededMegabytes)
    return { ok: true, sentence: `${free} MB free; one process may use ${neededMegabytes} MB.` };
  const sentence = `${free} MB free, but one process may use ${neededMegabytes} MB. Close other programs, or set SIANN_MODEL=base and a lower SIANN_MEMORY_LIMIT_MB.`;
  return { ok: false, sentence };
}

export async function checkDataFolder(folder: string): Promise<CheckResult> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    return { ok: true, sentence: `${folder} can be written.` };
  } catch (error) {
    const reason = (error as Error).message;
    return {
      ok: false,
      sentence: `${folder} cannot be written (${reason}). Set SIANN_DATA to a folder that can.`,
    };
  }
}

const neededDiskBytes = 2 ** 30;

export async function checkDiskSpace(folder: string): Promise<CheckResult> {
  const { bavail, bsize } = await statfs(folder);
  const free = `${((Number(bavail) * Number(bsize)) / 1e9).toFixed(1)} GB free`;
  if (Number(bavail) * Number(bsize) >= neededDiskBytes) return { ok: true, sentence: `${free}.` };
  return {
    ok: false,
    sentence: `${free}; prepared models need about 1 GB. Free some space or move SIANN_DATA.`,
  };
}
