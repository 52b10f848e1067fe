/** Users, roles and the audit log of the console, in a real browser. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { ConsoleRole } from '../../wire/console.ts';
import { type OpenConsole, openConsole, password } from './open-console.ts';

const console_ = await openConsole({ model: false });

describe('access to the console', {
  skip: console_ ? false : 'there is no Chromium here, and it may not be installed',
}, () => {
  const { running, origin, newContext, goTo } = console_ as OpenConsole;
  let owner: Page;
  before(async () => {
    owner = await (await newContext()).newPage();
  });
  after(() => console_?.[Symbol.asyncDispose]());

  test('an owner invites a viewer, who sees everything and is offered nothing to change', async () => {
    await goTo(owner, 'users');
    await owner.getByRole('button', { name: 'Invite somebody' }).click();
    await owner.getByRole('dialog').getByRole('button', { name: 'Make link' }).click();
    const address = await owner.getByRole('status').locator('pre').innerText();
    assert.match(address, /#\/setup\?link=/);
    const guest = await (await newContext({ signedOut: true })).newPage();
    await guest.goto(address);
    await guest.getByLabel('Name').fill('hua');
    await guest.getByLabel('Password').fill(password);
    await guest.getByRole('button', { name: 'Create and sign in' }).click();
    await guest.getByText('Signed in as hua · Viewer').waitFor();
    await guest.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
    for (const name of ['Users', 'Audit log', 'Files', 'Live captions'])
      assert.equal(await guest.getByRole('link', { name, exact: true }).count(), 0, name);
    for (const path of [
      'projects',
      `projects/${running.projectId}/keys`,
      `projects/${running.projectId}/plan`,
    ]) {
      await goTo(guest, path);
      for (const name of ['New project', 'New key', 'Revoke', 'Roll', 'Save', 'Rename', 'Delete project'])
        assert.equal(await guest.getByRole('button', { name }).count(), 0, `${path}: ${name}`);
    }
    await goTo(guest, `projects/${running.projectId}/security`);
    assert.equal(await guest.getByLabel('Networks').isEditable(), false);
    assert.equal(await guest.getByRole('button', { name: 'Require signatures' }).count(), 0);
    await guest.context().close();
  });

  test('an owner gives somebody another role, and the audit log tells who did what', async () => {
    await goTo(owner, 'projects');
    await goTo(owner, 'users');
    await owner.getByRole('button', { name: 'Change role: hua' }).click();
    await owner.getByRole('dialog').getByLabel('Role').selectOption('operator');
    await owner.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await owner.locator('li', { hasText: 'hua' }).getByText('Operator').waitFor();
    await goTo(owner, 'audit');
    const newest = owner.locator('main li').first();
    await newest.getByText('Role changed: hua').waitFor();
    await newest.getByText(/mei · (127\.0\.0\.1|::1)/).waitFor();
    await newest.getByText('viewer').waitFor();
  });

  test('the log is paged, and says so when nothing has been changed', async () => {
    const { signIn } = running.service;
    for (let n = 0; n < 60; n += 1) await signIn.createLink({ by: { source: 'command line', name: 'root' } });
    await goTo(owner, 'projects');
    await goTo(owner, 'audit');
    await owner.locator('main li').nth(49).waitFor();
    assert.equal(await owner.locator('main li').count(), 50);
    await owner.getByRole('button', { name: 'Show older changes' }).click();
    await owner.locator('main li').nth(59).waitFor();
    await owner.route('**/console/api/audit', (route) =>
      route.fulfill({ json: { entries: [], next: null } }),
    );
    await owner.reload();
    await owner.getByText('Nothing has been changed yet.').waitFor();
    await owner.unroute('**/console/api/audit');
  });

  test('somebody who changes the password stays here and is signed out elsewhere', async () => {
    const here = await (await newContext({ ownSession: true })).newPage();
    const elsewhere = await (await newContext({ ownSession: true })).newPage();
    await goTo(here, 'projects');
    await goTo(elsewhere, 'projects');
    const change = async (current: string, wanted: string) => {
      await here.getByLabel('Present password').fill(current);
      await here.getByLabel('New password').fill(wanted);
      await here.getByRole('dialog').getByRole('button', { name: 'Change password' }).click();
    };
    await here.getByRole('button', { name: 'Change password' }).click();
    await change('not the password', 'a loud waterfall');
    await here.getByRole('alert').getByText('The present password is wrong.').waitFor();
    await change(password, 'a loud waterfall');
    await here.getByRole('dialog').waitFor({ state: 'detached' });
    await here.reload();
    await here.getByRole('heading', { name: 'Projects' }).waitFor();
    await elsewhere.reload();
    await elsewhere.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.ok(origin);
  });

  test('a key is made for files only and for 90 days, and rolled', async () => {
    const link = await running.service.signIn.createLink({ role: 'operator' satisfies ConsoleRole });
    const page = await (await newContext({ signedOut: true })).newPage();
    await goTo(page, `setup?link=${link}`);
    await page.getByLabel('Name').fill('operator');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create and sign in' }).click();
    await page.getByText('Signed in as operator').waitFor();
    await goTo(page, `projects/${running.projectId}/keys`);
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the key').fill('narrow');
    await dialog.getByLabel('Valid for').selectOption('90');
    for (const scope of ['Live captions', 'Jobs', 'Account and usage'])
      await dialog.getByLabel(scope).uncheck();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const row = page.locator('li', { hasText: 'narrow' });
    await row.getByText('Files').waitFor();
    await row.getByText(/Expires/).waitFor();
    await row.getByRole('button', { name: 'Roll: narrow' }).click();
    await page.getByRole('dialog').getByLabel('The old key works for').selectOption('1');
    await page.getByRole('dialog').getByRole('button', { name: 'Roll' }).click();
    await row.getByText(/The key before it works until/).waitFor();
    const [made] = (await running.service.accounts.keys.list(running.projectId)).filter(
      ({ name }) => name === 'narrow',
    );
    assert.deepEqual(made?.scopes, ['transcribe']);
  });
});
