/** Every page in both languages and themes, on a phone and a desktop, for eyes and for screen readers; and who may not use it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { docsPages } from '../../src/http/docs/page-frame.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

const console_ = await openConsole({ model: false });
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe('the console', {
  skip: console_ ? false : 'there is no Chromium here, and it may not be installed',
}, () => {
  const { running, origin, newContext, goTo } = console_ as OpenConsole;
  after(() => console_?.[Symbol.asyncDispose]());
  const project = `projects/${running?.projectId}`;
  const paths = [
    'projects',
    `${project}/keys`,
    `${project}/usage`,
    `${project}/security`,
    `${project}/plan`,
    'playground/files',
    'playground/live',
    'operator',
    'audit',
    'users',
  ];

  for (const language of ['en', 'zh-TW'] as const)
    for (const theme of ['light', 'dark'] as const)
      test(`is readable for everybody on every page, in ${language} and ${theme}`, async () => {
        const context = await newContext({ language, theme });
        const page = await context.newPage();
        await goTo(page, 'projects');
        for (const path of paths) {
          await show(page, path);
          if (language === 'zh-TW')
            assert.match((await page.locator('h1').textContent())!, /\p{Script=Han}/u);
          for (const width of [1440, 360]) {
            await page.setViewportSize({ width, height: 900 });
            await assertFits(page, path);
            // On a phone, the language and the theme change nothing for a screen reader.
            if (width === 360 && (theme === 'dark' || language !== 'en')) continue;
            const rules = theme === 'dark' ? ['color-contrast'] : undefined;
            assert.deepEqual(await violations(page, rules), [], `${path} at ${width}`);
          }
        }
        await context.close();
      });

  test('is readable for everybody before signing in, with an open dialog, and with the menu of a phone', async () => {
    const signedOut = await newContext({ signedOut: true, width: 360 });
    const first = await signedOut.newPage();
    for (const path of ['', 'setup?link=x']) {
      await goTo(first, path);
      assert.deepEqual(await violations(first), [], path);
    }
    await signedOut.close();
    const context = await newContext({ width: 360 });
    const page = await context.newPage();
    await goTo(page, 'projects');
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Keys' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog').waitFor();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await context.close();
  });

  test('has guides that are readable for everybody, on a phone and a desktop, light and dark', async () => {
    const context = await newContext({ signedOut: true });
    const page = await context.newPage();
    for (const { name } of docsPages) {
      await page.goto(`${origin}/docs/${name}`);
      for (const [width, colorScheme] of [
        [1440, 'light'],
        [360, 'dark'],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await assertFits(page, name);
        assert.deepEqual(await violations(page), [], `${name} at ${width}`);
      }
    }
    await context.close();
  });

  test('can be used with the keyboard alone', async () => {
    const context = await newContext();
    const page = await context.newPage();
    await goTo(page, 'projects');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#content:focus').waitFor();
    await page.getByRole('link', { name: 'Operator' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Operator' }).waitFor();
    await page.locator('h1:focus').waitFor();
    await context.close();
  });

  test('loads less than 150 kB, and is shown within a second', async () => {
    const context = await newContext();
    const page = await context.newPage();
    let bytes = 0;
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await goTo(page, 'projects');
    assert.ok(bytes > 10_000 && bytes < 150_000, `${bytes} bytes`);
    // The fastest of several tries counts, because the machine may be busy with something else.
    const times: number[] = [];
    for (let n = 0; n < 20 && !(Math.min(...times) < 1000); n += 1) {
      await page.reload();
      await page.getByRole('heading', { level: 1 }).waitFor();
      times.push(Number(await page.evaluate('performance.now()')));
    }
    assert.ok(Math.min(...times) < 1000, `${times}`);
    await context.close();
  });

  test('does nothing for a page of another site', async () => {
    const evil = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>evil</title>');
    });
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    const context = await newContext();
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
    const target = JSON.stringify(`${origin}/console/api/projects`);
    const outcome = await page.evaluate(`(async () => {
      const body = JSON.stringify({ name: 'planted' });
      const simple = await fetch(${target}, { method: 'POST', mode: 'no-cors', credentials: 'include', body }).then(() => 'sent', () => 'failed');
      const custom = await fetch(${target}, {
        method: 'POST', credentials: 'include', body,
        headers: { 'x-siann-console': '1', 'content-type': 'application/json' },
      }).then((response) => response.status, () => 'failed');
      const read = await fetch(${target}, { credentials: 'include' }).then((response) => response.text(), () => 'failed');
      return { simple, custom, read };
    })()`);
    assert.deepEqual(
      { ...(outcome as object), simple: '' },
      { simple: '', custom: 'failed', read: 'failed' },
    );
    const names = (await running.service.accounts.projects.list()).map(({ name }) => name);
    assert.ok(!names.includes('planted'));
    evil.closeAllConnections();
    evil.close();
    await context.close();
  });

  test('makes a new session at sign-in, even if the browser already has a cookie of an attacker', async () => {
    const context = await newContext({ signedOut: true });
    const value = 'a'.repeat(43);
    await context.addCookies([{ name: '__Host-siann', value, url: origin, secure: true }]);
    const page = await context.newPage();
    await goTo(page, '');
    await page.getByLabel('Name').fill('mei');
    await page.getByLabel('Password').fill('a quiet river');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    const [cookie] = await context.cookies();
    assert.notEqual(cookie!.value, value);
    assert.deepEqual([cookie!.httpOnly, cookie!.secure, cookie!.sameSite], [true, true, 'Strict']);
    await assert.rejects(running.service.signIn.findUser(value), { code: 'not_signed_in' });
    await context.close();
  });

  async function show(page: Page, path: string): Promise<void> {
    await page.evaluate(`location.hash = ${JSON.stringify(`#/${path}`)}`);
    await page.locator(`nav a[aria-current][href="#/${path}"]`).waitFor({ state: 'attached' });
    await page.getByText(/^(Loading …|載入中…)$/).waitFor({ state: 'detached' });
  }

  async function assertFits(page: Page, path: string): Promise<void> {
    const [scrollWidth, width] = (await page.evaluate(
      '[document.documentElement.scrollWidth, innerWidth]',
    )) as [number, number];
    assert.ok(scrollWidth <= width, `${path} is ${scrollWidth - width} px too wide at ${width}`);
  }

  /** What axe finds, with all its rules or only with these. */
  async function violations(page: Page, rules?: string[]): Promise<string[]> {
    if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
    const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
    const found = await page.evaluate(
      `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))`,
    );
    return found as string[];
  }
});
