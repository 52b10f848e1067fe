#!/usr/bin/env node
// Starts the command from a bare checkout: makes sure that the packages are there, then lets Node read TypeScript.
import { ensureInstalled } from '../scripts/install.mjs';

ensureInstalled();
// In this process: starting a second one with `--import tsx` takes twice as long.
const { register } = await import('tsx/esm/api');
register();
const { main } = await import('../src/cli/run-command-line.ts');
await main(process.argv.slice(2));
