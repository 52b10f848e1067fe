// `npm run screenshots`: the console's main pages as the README shows them, from a real service and a real browser.
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { type OpenConsole, openConsole } from '../test/console/open-console.ts';

const folder = fileURLToPath(new URL('../docs/images/', import.meta.url));
const opened = await openConsole();
if (!opened) throw new Error('There is no Chromium here. Install it, or name it in CHROMIUM.');
await using console_: OpenConsole = opened;
await mkdir(folder, { recursive: true });
const { running, conversation, newContext, goTo } = console_;
await running.service.accounts.projects.rename(running.projectId, 'podcast');

const light = await (await newContext({ width: 1200 })).newPage();
await goTo(light, 'playground/live');
await light.getByLabel('What is spoken').selectOption('en-US');
await light.getByLabel('Tell speakers apart').check();
await light.getByRole('button', { name: 'Start listening' }).click();
await light
  .locator('.captions li:not(.partial)')
  .getByText(/minutes/)
  .nth(1)
  .waitFor({ timeout: 90_000 });
await light.waitForTimeout(3_000);
await save(light, 'live-captions');
await light.getByRole('button', { name: 'Stop listening' }).click();

await goTo(light, 'playground/files');
await light.getByLabel('What is spoken').selectOption('en-US');
await light.getByLabel('Tell speakers apart').check();
await light.locator('input[type=file]').setInputFiles({
  name: 'talk.wav',
  mimeType: 'audio/wav',
  buffer: Buffer.from(conversation),
});
await light.getByText(/of audio in/).waitFor();
await light.waitForTimeout(500);
await save(light, 'files');

await goTo(light, `projects/${running.projectId}/keys`);
await light.getByRole('heading', { name: 'Live keys' }).waitFor();
await save(light, 'keys');

const dark = await (await newContext({ width: 1200, theme: 'dark', language: 'zh-TW' })).newPage();
await goTo(dark, `projects/${running.projectId}/usage`);
await dark.locator('.chart canvas').waitFor();
await save(dark, 'usage-dark-zh');

const phone = await (await newContext({ width: 390, language: 'zh-TW' })).newPage();
await goTo(phone, 'playground/live');
await save(phone, 'phone-zh');

async function save(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${folder}${name}.png` });
}
