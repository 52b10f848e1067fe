// `npm run figures`: docs/figures.md and its pictures, from the rows that the commands have written to figures/.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makePage } from './make-page.ts';
import { figuresFolder } from './record-figures.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pictures = join(root, 'docs/images/figures');
const made = makePage(figuresFolder);

mkdirSync(pictures, { recursive: true });
for (const name of readdirSync(pictures))
  if (!made.has(`docs/images/figures/${name}`)) rmSync(join(pictures, name));
for (const [path, text] of made) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  console.log(path);
}
