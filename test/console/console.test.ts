/** Every page and action of the console, in a real browser. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { pcmSampleRate } from '../../src/audio/pcm.ts';
import { decodeAll } from '../audio/fixtures.ts';
import { toWave } from '../support/wave.ts';
import { type OpenConsole, openConsole, password, recordingPath } from './open-console.ts';

const console_ = await openConsole();

describe('the console', {
  skip: console_ ? false : 'there is no Chromium here, and it may not be installed',
}, () => {
  const { running, origin, conversation, newContext, goTo } = console_ as OpenConsole;
  let context: BrowserContext;
  let page: Page;
  const problems: string[] = [];
  before(async () => {
    context = await newContext();
    page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text()))
        problems.push(message.text());
    });
  });
  after(() => console_?.[Symbol.asyncDispose]());
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialogButton = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

  test('lets somebody with the first link choose a name and a password, once, and then shows live captions', async () => {
    const link = await running.service.signIn.createLink();
    const fresh = await newContext({ signedOut: true });
    const first = await fresh.newPage();
    await goTo(first, `setup?link=${link}`);
    await first.getByLabel('Name').fill('hua');
    await first.getByLabel('Password').fill('short');
    await first.getByRole('button', { name: 'Create and sign in' }).click();
    await first.getByRole('alert').getByText('at least 10 characters').waitFor();
    await first.getByLabel('Password').fill(password);
    await first.getByRole('button', { name: 'Create and sign in' }).click();
    await first.getByRole('heading', { name: 'Live captions' }).waitFor();
    assert.doesNotMatch(first.url(), /link/);
    const second = await (await newContext({ signedOut: true })).newPage();
    await goTo(second, `setup?link=${link}`);
    await second.getByLabel('Name').fill('thief');
    await second.getByLabel('Password').fill(password);
    await second.getByRole('button', { name: 'Create and sign in' }).click();
    await second.getByRole('alert').getByText('was used already').waitFor();
    await second.context().close();
    await fresh.close();
  });

  test('signs in, and says so when the password is wrong', async () => {
    const fresh = await newContext({ signedOut: true });
    const first = await fresh.newPage();
    await goTo(first, '');
    await first.getByLabel('Name').fill('mei');
    await first.getByLabel('Password').fill('not the password');
    await first.getByRole('button', { name: 'Sign in' }).click();
    await first.getByRole('alert').getByText('The name or the password is wrong.').waitFor();
    await first.getByLabel('Password').fill(password);
    await first.getByRole('button', { name: 'Sign in' }).click();
    await first.getByRole('heading', { name: 'Projects' }).waitFor();
    await first.getByRole('button', { name: 'Sign out', exact: true }).click();
    await first.getByRole('heading', { name: 'Sign in' }).waitFor();
    const cookies = (await fresh.cookies()).map(({ name }) => name);
    assert.deepEqual(cookies, ['__Host-siann-device']);
    await fresh.close();
  });

  test('makes a project, and a key that is shown once, copied, renamed, regenerated and revoked', async () => {
    await goTo(page, 'projects');
    await button('New project').click();
    await page.getByLabel('Name of the project').fill('podcast');
    await dialogButton('Create project').click();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await page.getByText('No keys here yet.').nth(1).waitFor();

    await button('New key').click();
    await page.getByLabel('Name of the key').fill('phone');
    await dialogButton('Create key').click();
    const once = page.locator('.once');
    const key = (await once.locator('pre').textContent())!;
    assert.match(key, /^sk_test_\w{32}$/);
    await once.getByRole('button', { name: 'Copy' }).click();
    await once.getByText('Copied', { exact: true }).waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), key);
    assert.equal(await accountStatus(key), 200);
    await once.getByRole('button', { name: 'I have copied it' }).click();
    await once.waitFor({ state: 'detached' });
    assert.ok(!(await page.content()).includes(key));

    await button('Rename: phone').click();
    await page.getByLabel('Name of the key').fill('tablet');
    await dialogButton('Rename').click();
    await button('Regenerate: tablet').click();
    await page.getByText('The old key stops working at once').waitFor();
    await dialogButton('Regenerate').click();
    const fresh = (await once.locator('pre').textContent())!;
    assert.deepEqual([await accountStatus(key), await accountStatus(fresh)], [401, 200]);
    await button('Revoke: tablet').click();
    await dialogButton('Revoke').click();
    await page.getByText('Revoked keys (1)').waitFor();
    assert.equal(await accountStatus(fresh), 401);
  });

  test('saves the allowed networks, and says so when one is not a network', async () => {
    const project = await running.service.accounts.projects.find('podcast');
    await goTo(page, `projects/${project.id}/security`);
    await page.getByLabel('Networks').fill('everybody');
    await button('Save').click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Networks').fill('192.0.2.0/24\n2001:db8::/32');
    await button('Save').click();
    await page.getByText('Saved.').waitFor();
    const { allow } = await running.service.accounts.projects.find('podcast');
    assert.deepEqual(allow, ['192.0.2.0/24', '2001:db8::/32']);
  });

  test('requires signatures, and shows the secret once, with an example that signs correctly', async () => {
    const { accounts } = running.service;
    const { key } = await accounts.keys.create({
      project: running.projectId,
      environment: 'live',
      name: 'signing',
    });
    await goTo(page, `projects/${running.projectId}/security`);
    await button('Require signatures: signing').click();
    const secret = (await page.locator('.once pre').textContent())!;
    assert.match(secret, /^ss_/);
    assert.equal(await accountStatus(key, 'live'), 403);
    await page.getByRole('tab', { name: 'TypeScript' }).click();
    const program = (await page.getByRole('tabpanel').locator('pre').textContent())!;
    assert.equal(await runSigned(program, key, secret), 200);
    await button('No longer require signatures: signing').click();
    await button('Require signatures: signing').waitFor();
    assert.equal(await accountStatus(key, 'live'), 200);
  });

  test('changes the plan, and renames and deletes a project', async () => {
    const project = await running.service.accounts.projects.find('podcast');
    await goTo(page, `projects/${project.id}/plan`);
    await page.getByLabel('Professional').check();
    await button('Save').click();
    await page.getByText('Saved.').waitFor();
    assert.equal((await running.service.accounts.projects.find('podcast')).plan, 'professional');
    await page.getByLabel('Name of the project').fill('radio');
    await button('Rename').click();
    await page.locator('.project-choice option', { hasText: 'radio' }).waitFor({ state: 'attached' });
    await button('Delete project').click();
    await dialogButton('Delete project').click();
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    await assert.rejects(running.service.accounts.projects.find('radio'));
  });

  test('transcribes a file, plays it from a segment, and offers downloads and sample programs', async () => {
    await goTo(page, 'playground/files');
    await page.getByLabel('What is spoken').selectOption('en-US');
    await page.locator('input[type=file]').setInputFiles(recordingPath);
    await page.locator('.segments li').first().waitFor();
    await page.getByText(/of audio in/).waitFor();
    const text = (await page.locator('.segments').textContent())!;
    assert.match(text, /meeting.*Monday/i);
    await page.locator('.segments .time').first().click();
    const played = () => page.evaluate('document.querySelector("audio").played.length > 0');
    for (const startedAt = Date.now(); !(await played()); await page.waitForTimeout(50))
      assert.ok(Date.now() - startedAt < 60_000, 'nothing is played');
    for (const [extension, pattern] of [
      ['json', /"segments"/],
      ['srt', /00:00:\d\d,\d{3} --> /],
      ['vtt', /^WEBVTT/],
      ['txt', /meeting/i],
    ] as const) {
      const [download] = await Promise.all([page.waitForEvent('download'), button(extension).click()]);
      assert.equal(download.suggestedFilename(), `speech-16k.${extension}`);
      assert.match(await readFile((await download.path())!, 'utf8'), pattern);
    }
    const sample = (await page.getByRole('tabpanel').textContent())!;
    assert.ok(sample.includes(`${origin}/v1/audio/transcriptions`) && sample.includes('language=en-US'));
  });

  test('shows two speakers in two colours', async () => {
    await goTo(page, 'playground/files');
    await page.reload();
    await page.getByLabel('What is spoken').selectOption('en-US');
    await page.getByLabel('Tell speakers apart').check();
    await drop(conversation);
    await page.getByText(/of audio in/).waitFor();
    const [woman, man] = [await speakerOf(/office/i), await speakerOf(/train/i)];
    assert.deepEqual([woman.name, man.name], ['Speaker 1', 'Speaker 2']);
    assert.notEqual(woman.colour, man.colour);
  });

  test('does not move the page while a transcript grows', async () => {
    await goTo(page, 'playground/files');
    await page.reload();
    await page.getByLabel('What is spoken').selectOption('en-US');
    // This is longer than one window, so that the text comes in pieces.
    const audio = new Float32Array(45 * pcmSampleRate);
    audio.set(await decodeAll(conversation));
    audio.set(await decodeAll(await readFile(recordingPath)), 35 * pcmSampleRate);
    await drop(toWave(audio));
    // The page may move directly after a file is chosen. From here on nothing may move.
    await page.locator('.transcript-box audio').waitFor();
    await page.evaluate(`
      window.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
      }).observe({ type: 'layout-shift', buffered: false });`);
    await page.getByText(/of audio in/).waitFor();
    await page.locator('.segments li').nth(2).waitFor();
    const shift = Number(await page.evaluate('window.shift'));
    assert.ok(shift < 0.1, `layout shift ${shift}`);
  });

  test('says what to do when a file is not audio', async () => {
    await goTo(page, 'playground/files');
    const file = {
      name: 'notes.mp3',
      mimeType: 'audio/mpeg',
      buffer: Buffer.from('not audio at all '.repeat(200)),
    };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('alert').getByText('The file is not audio that can be read').waitFor();
  });

  test('shows live captions of the microphone, with speakers', async () => {
    await goTo(page, 'playground/live');
    await page.getByLabel('What is spoken').selectOption('en-US');
    await page.getByLabel('Tell speakers apart').check();
    const sample = (await page.getByRole('tabpanel').textContent())!;
    assert.match(sample, /siann listen talk\.mp3 --language en-US --diarize/);
    await button('Start listening').click();
    const final = page.locator('.captions li:not(.partial)');
    // The microphone may begin anywhere in its recording. Both speakers say something soon.
    await final
      .filter({ hasText: /folder|office/i })
      .first()
      .waitFor();
    await final
      .filter({ hasText: /train|minutes/i })
      .first()
      .waitFor();
    await page.getByText(/s behind/).waitFor();
    await button('Stop listening').click();
    await button('Start listening').waitFor();
    const [woman, man] = [await speakerOf(/folder|office/i), await speakerOf(/train|minutes/i)];
    assert.notEqual(woman.name, man.name);
    assert.notEqual(woman.colour, man.colour);
  });

  test('shows the usage by day and by key, and as a file', async () => {
    await goTo(page, `projects/${running.projectId}/usage`);
    await page.locator('.chart canvas').waitFor();
    await page.getByRole('heading', { name: /Playground/, level: 3 }).waitFor();
    await page.getByLabel('Environment').selectOption('test');
    await page.getByText('Nothing was transcribed in this period.').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as CSV' }).click(),
    ]);
    assert.match(await readFile((await download.path())!, 'utf8'), /^date,.*\r\n\d{4}-.*Playground,/);
  });

  test('shows the operator how the service is doing', async () => {
    await goTo(page, 'operator');
    await page.getByText('Processes').waitFor();
    await page.getByText('invalid_file_format').waitFor();
    assert.doesNotMatch((await page.locator('main').textContent())!, /meeting/i);
  });

  test('keeps nothing of a key or a transcript in the browser', async () => {
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    assert.equal(kept, '[{"siann-language":"en","siann-theme":"auto"},{}]');
  });

  test('signs out everywhere', async () => {
    const other = await newContext({ ownSession: true });
    const elsewhere = await other.newPage();
    await goTo(elsewhere, 'projects');
    await goTo(page, 'projects');
    await button('Sign out everywhere').click();
    await dialogButton('Sign out everywhere').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await elsewhere.reload();
    await elsewhere.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.close();
  });

  test('ran without an error or anything that its policy forbids', () => assert.deepEqual(problems, []));

  async function drop(wave: Uint8Array): Promise<void> {
    const file = { name: 'talk.wav', mimeType: 'audio/wav', buffer: Buffer.from(wave) };
    await page.locator('input[type=file]').setInputFiles(file);
  }

  /** The speaker of the first line that matches, and the colour. */
  async function speakerOf(pattern: RegExp): Promise<{ name: string; colour: string }> {
    const lines = (await page.evaluate(`[...document.querySelectorAll('.segments li')].map((line) => {
      const speaker = line.querySelector('.speaker');
      return { text: line.textContent, name: speaker?.textContent, colour: speaker && getComputedStyle(speaker).color };
    })`)) as { text: string; name: string; colour: string }[];
    const line = lines.find(({ text }) => pattern.test(text));
    assert.ok(line?.name, JSON.stringify(lines));
    return line;
  }

  async function accountStatus(key: string, environment: 'live' | 'test' = 'test'): Promise<number> {
    return (await running.fetch('/v1/account', { environment, headers: { authorization: `Bearer ${key}` } }))
      .status;
  }

  /** Runs the sample program of the page, and sends its request to the service. */
  async function runSigned(program: string, key: string, secret: string): Promise<number> {
    const sent: Record<string, string> = {};
    const body = program
      .replace(/^import .*$/m, '')
      .replaceAll('process.env.SIANN_SECRET!', JSON.stringify(secret))
      .replaceAll('process.env.SIANN_KEY', JSON.stringify(key));
    const { createHash, createHmac } = await import('node:crypto');
    const run = new Function('createHash', 'createHmac', 'fetch', `return (async () => { ${body} })()`);
    await run(createHash, createHmac, async (_url: string, init: { headers: Record<string, string> }) => {
      Object.assign(sent, init.headers);
    });
    const headers = Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]),
    );
    return (await running.fetch('/v1/account', { headers })).status;
  }
});
