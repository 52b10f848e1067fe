// `npm run options`: writes what is made from the table of request options (wire/request-options.ts).
import { writeFile } from 'node:fs/promises';
import { optionFiles } from '../src/options/option-texts.ts';

for (const [path, text] of Object.entries(optionFiles())) {
  await writeFile(new URL(`../${path}`, import.meta.url), text);
  console.log(`wrote ${path}`);
}
