import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { fixture } from '../../evaluation/spoken-files.ts';
import { createRecogniser } from '../../src/wiring/create-recogniser.ts';
import { decodeAll } from '../audio/fixtures.ts';
import { startService, type TestService } from '../support/service.ts';
import { testModels } from '../support/tiny-model.ts';
import { toWave } from '../support/wave.ts';
import { openBrowser } from './browser.ts';

export const password = 'a quiet river';
export const recordingPath = fileURLToPath(new URL('../fixtures/audio/speech-16k.wav', import.meta.url));

export type OpenConsole = AsyncDisposable & {
  running: TestService;
  browser: Browser;
  origin: string;
  /** A wave file in which a woman and a man say a sentence each. The microphone plays it again and again. */
  conversation: Uint8Array;
  /** A browser profile of its own. By default, it is signed in. */
  newContext(options?: NewContextOptions): Promise<BrowserContext>;
  goTo(page: Page, path: string): Promise<void>;
};

export type NewContextOptions = {
  signedOut?: boolean;
  /** Signed in with a session of its own, instead of the one that the others share. */
  ownSession?: boolean;
  width?: number;
  language?: 'en' | 'zh-TW';
  theme?: 'light' | 'dark';
};

/**
 * The whole service with the smallest real model, or without a model for tests that recognise nothing, and a real browser
 * whose microphone plays a conversation.
 */
export async function openConsole({ model = true } = {}): Promise<OpenConsole | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'siann-console-'));
  const conversation = toWave(await decodeAll(fixture('two-sentences.flac')));
  const microphonePath = join(folder, 'microphone.wav');
  await writeFile(microphonePath, conversation);
  const browser = await openBrowser([
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${microphonePath}`,
    '--autoplay-policy=no-user-gesture-required',
  ]);
  if (!browser) return undefined;
  const running = await startService({
    ...(model && { recogniser: createRecogniser }),
    env: { SIANN_MODEL: 'tiny', SIANN_CACHE: testModels },
  });
  const { signIn } = running.service;
  const origin = running.addresses.live.replace(/\/v1$/, '');
  await signIn.useLink(await signIn.createLink(), { name: 'mei', password });
  const newSession = () => signIn.signIn({ name: 'mei', password, address: '127.0.0.1' });
  const shared = await newSession();
  await Promise.all([running.service.recogniser.ready(), running.service.prepareConsole()]);

  return {
    running,
    browser,
    origin,
    conversation,
    async newContext({ signedOut, ownSession, width = 1280, language = 'en', theme = 'light' } = {}) {
      const context = await browser.newContext({
        ignoreHTTPSErrors: true,
        viewport: { width, height: 900 },
        locale: language,
        colorScheme: theme,
        permissions: ['clipboard-read', 'clipboard-write', 'microphone'],
      });
      // The machine may be busy with something else, which is no failure.
      context.setDefaultTimeout(60_000);
      if (signedOut) return context;
      const { token } = ownSession ? await newSession() : shared;
      await context.addCookies([
        { name: '__Host-siann', value: token, url: origin, secure: true, httpOnly: true, sameSite: 'Strict' },
      ]);
      return context;
    },
    async goTo(page, path) {
      await page.goto(`${origin}/console#/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await running[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
