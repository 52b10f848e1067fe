// Part of `npm run lint`: which room may import which, and no folder with too many loose files. Cycles are Biome's (noImportCycles).
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Everything that a room may import, besides itself; `src/**` is every room of src. docs/architecture.md shows the same as a table. */
export const rooms = {
  wire: [],
  'src/errors': ['wire'],
  'src/async': [],
  'src/addresses': [],
  'src/settings': ['src/addresses'],
  'src/audio': ['src/errors'],
  'src/model': ['src/errors'],
  'src/pool': ['src/errors'],
  'src/storage': ['src/async', 'src/errors'],
  'src/accounts': ['wire', 'src/addresses', 'src/async', 'src/errors', 'src/storage'],
  'src/speech/transcript': ['wire'],
  'src/speech/windows': ['src/audio', 'src/model', 'src/pool', 'src/speech/transcript'],
  'src/decoding': ['src/async', 'src/audio', 'src/errors', 'src/pool', 'src/speech/windows'],
  'src/speech/text': ['src/speech/transcript', 'src/speech/windows'],
  'src/speech/recognition': ['src/async', 'src/audio', 'src/errors', 'src/pool', 'src/speech/transcript', 'src/speech/windows'],
  'src/speech/speakers': ['src/audio', 'src/model', 'src/pool', 'src/speech/text', 'src/speech/transcript', 'src/speech/windows'],
  'src/speech/inference': ['src/audio', 'src/model', 'src/pool', 'src/speech/speakers', 'src/speech/text', 'src/speech/transcript', 'src/speech/windows'],
  'src/speech/live': ['src/audio', 'src/errors', 'src/speech/recognition', 'src/speech/text', 'src/speech/transcript', 'src/speech/windows'],
  'src/speech': ['src/audio', 'src/pool', 'src/speech/live', 'src/speech/recognition', 'src/speech/speakers', 'src/speech/text', 'src/speech/transcript', 'src/speech/windows'],
  'src/options': ['wire', 'src/errors', 'src/speech'],
  'src/formats': ['wire', 'src/speech/text', 'src/speech/transcript'],
  'src/sessions': ['wire', 'src/async', 'src/audio', 'src/errors', 'src/options', 'src/speech/live', 'src/speech/speakers'],
  'src/operations': ['src/errors', 'src/settings', 'src/speech'],
  'src/cluster': ['src/async', 'src/audio', 'src/errors', 'src/pool', 'src/speech/transcript', 'src/speech/windows', 'src/storage'],
  'src/http': ['wire', 'src/accounts', 'src/addresses', 'src/async', 'src/audio', 'src/errors', 'src/formats', 'src/operations', 'src/options', 'src/sessions', 'src/settings', 'src/speech', 'src/speech/live', 'src/speech/speakers', 'src/speech/text', 'src/speech/transcript', 'src/storage'],
  'src/wiring': ['wire', 'src/accounts', 'src/addresses', 'src/cluster', 'src/decoding', 'src/http', 'src/model', 'src/operations', 'src/pool', 'src/settings', 'src/speech', 'src/speech/live', 'src/speech/recognition', 'src/speech/speakers', 'src/speech/windows', 'src/storage'],
  'src/cli': ['wire', 'client', 'src/accounts', 'src/addresses', 'src/audio', 'src/errors', 'src/formats', 'src/model', 'src/operations', 'src/options', 'src/settings', 'src/speech', 'src/speech/transcript', 'src/storage', 'src/wiring'],
  client: ['wire'],
  console: ['client', 'wire'],
  evaluation: [],
  bench: ['evaluation', 'src/**', 'wire'],
  training: ['evaluation', 'src/**'],
};

const mostLooseFiles = 16;
const folders = ['src', 'wire', 'client', 'console', 'evaluation', 'bench', 'training'];
const specifiers = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** Every violation in the tree below `root`, as a sentence. */
export function checkRooms(root, allowed = rooms) {
  const imports = readImports(root);
  return [...forbiddenImports(imports, allowed), ...crowdedFolders(root)];
}

/** The lists are the true graph: what a room does not import any more is taken out of its line. */
export function unusedAllowances(root, allowed = rooms) {
  const edges = [...readImports(root)].flatMap(([file, targets]) => targets.map((target) => [file, target]));
  return Object.entries(allowed).flatMap(([room, others]) => {
    const from = edges.filter(([file]) => roomOf(file, allowed) === room);
    const isUnused = (entry) => !from.some(([, target]) => covers(entry, roomOf(target, allowed)));
    return others.filter(isUnused).map((entry) => `${room} does not import ${entry}. Take that out of its line.`);
  });
}

function readImports(root) {
  const files = folders.flatMap((folder) => sourceFiles(root, folder));
  return new Map(files.map((file) => [file, importsOf(root, file)]));
}

function sourceFiles(root, folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .filter((file) => !file.includes('node_modules'))
    .sort();
}

function importsOf(root, file) {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(specifiers)].map(([, path]) => relative(root, resolve(root, dirname(file), path)));
}

/** The longest room that the file lies in. */
function roomOf(file, allowed) {
  return Object.keys(allowed)
    .filter((room) => file === room || file.startsWith(`${room}/`))
    .sort((one, other) => other.length - one.length)[0];
}

function* forbiddenImports(imports, allowed) {
  for (const [file, targets] of imports) {
    const room = roomOf(file, allowed);
    if (room === undefined) {
      yield `${file} lies in no room. Give its folder a line in scripts/check-rooms.mjs.`;
      continue;
    }
    for (const target of targets) {
      const other = roomOf(target, allowed);
      if (other === room || allowed[room].some((entry) => covers(entry, other))) continue;
      yield `${file} imports ${target}, and ${room} may not import ${other ?? 'what lies in no room'}.`;
    }
  }
}

/** A room covers itself alone; `folder/**` covers every room below the folder. */
function covers(entry, room) {
  return entry === room || (entry.endsWith('/**') && room?.startsWith(entry.slice(0, -2)));
}

function* crowdedFolders(root) {
  const folders = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  for (const folder of [join(root, 'src'), ...folders]) {
    const loose = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()).length;
    if (loose <= mostLooseFiles) continue;
    yield `${relative(root, folder)} has ${loose} loose files, and ${mostLooseFiles} are the most. Group them.`;
  }
}

/** Lines of the table in docs/architecture.md that are not those of the rooms, as sentences. */
export function* tableDifferences(page, allowed = rooms) {
  const shown = new Map([...page.matchAll(/^\| `([\w/]+)` \| [^|]+ \| ([^|]+) \|$/gm)].map(([, room, imports]) => [room, imports.trim()]));
  const short = (room) => room.replace(/^src\//, '');
  for (const [room, imports] of Object.entries(allowed)) {
    const wanted = imports.map((each) => `\`${short(each)}\``).join(', ') || '–';
    if (shown.get(short(room)) === wanted) continue;
    yield `docs/architecture.md: the line of \`${short(room)}\` should end with | ${wanted} |`;
  }
  const known = Object.keys(allowed).map(short);
  for (const room of shown.keys()) if (!known.includes(room)) yield `docs/architecture.md shows \`${room}\`, which is no room.`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const project = fileURLToPath(new URL('..', import.meta.url));
  const page = readFileSync(join(project, 'docs/architecture.md'), 'utf8');
  const wrong = [...checkRooms(project), ...unusedAllowances(project), ...tableDifferences(page)];
  for (const sentence of wrong) console.error(sentence);
  if (wrong.length > 0) process.exit(1);
  console.log('Rooms: every import is allowed, no folder is crowded, the table shows the lines.');
}
