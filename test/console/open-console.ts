import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createRecogniser } from '../../src/main.ts';
import type { CreateRecogniser } from '../../src/speech/recogniser.ts';
import type { Segment } from '../../src/speech/segment.ts';
import { startService, type TestService } from '../support/service.ts';
import { testModels } from '../support/tiny-model.ts';
import { openBrowser } from './browser.ts';

export const password = 'a quiet river';
export const recordingPath = fileURLToPath(new URL('../fixtures/audio/speech-16k.wav', import.meta.url));

export type OpenConsole = AsyncDisposable & {
  running: TestService;
  browser: Browser;
  origin: string;
  /** A browser's profile of its own, signed in unless told otherwise. */
  newContext(options?: NewContextOptions): Promise<BrowserContext>;
  goTo(page: Page, path: string): Promise<void>;
};

export type NewContextOptions = {
  signedOut?: boolean;
  width?: number;
  language?: 'en' | 'zh-TW';
  theme?: 'light' | 'dark';
};

/**
 * The whole service with the smallest real model, or with none where nothing is to be heard, and a real browser whose
 * microphone plays a recording.
 */
export async function openConsole({ model = true } = {}): Promise<OpenConsole | undefined> {
  const browser = await openBrowser([
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${recordingPath}`,
    '--autoplay-policy=no-user-gesture-required',
  ]);
  if (!browser) return undefined;
  const running = await startService({
    ...(model && { recogniser: withTwoSpeakers(createRecogniser) }),
    env: { SIANN_MODEL: 'tiny', SIANN_CACHE: testModels },
  });
  const { signIn } = running.service;
  const origin = running.addresses.live.replace(/\/v1$/, '');
  await signIn.useLink(await signIn.createLink(), { name: 'mei', password });
  await Promise.all([running.service.recogniser.ready(), running.service.prepareConsole()]);

  return {
    running,
    browser,
    origin,
    async newContext({ signedOut, width = 1280, language = 'en', theme = 'light' } = {}) {
      const context = await browser.newContext({
        ignoreHTTPSErrors: true,
        viewport: { width, height: 900 },
        locale: language,
        colorScheme: theme,
        permissions: ['clipboard-read', 'clipboard-write', 'microphone'],
      });
      if (signedOut) return context;
      const { token } = await signIn.signIn({ name: 'mei', password, address: '127.0.0.1' });
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
    },
  };
}

/** Telling voices apart is another room's subject: here two people speak in turns when speakers are asked for. */
function withTwoSpeakers(create: CreateRecogniser): CreateRecogniser {
  return async (options) => {
    const recogniser = await create(options);
    return {
      ...recogniser,
      async *transcribe(bytes, transcribeOptions) {
        if (!transcribeOptions.speakers) return yield* recogniser.transcribe(bytes, transcribeOptions);
        for await (const _chunk of bytes);
        await transcribeOptions.onDecoded?.(3);
        for (let id = 0; id < 12; id += 1) yield spoken(id);
        return { durationSeconds: 3.675, numSpeakers: 2 };
      },
      [Symbol.asyncDispose]: () => recogniser[Symbol.asyncDispose](),
    };
  };
}

function spoken(id: number): Segment {
  return {
    id,
    startSeconds: id * 0.3,
    endSeconds: id * 0.3 + 0.3,
    text: `Sentence ${id}.`,
    language: 'en',
    words: [],
    speaker: id % 2,
    tokens: [],
    temperature: 0,
    averageLogProbability: 0,
    compressionRatio: 1,
    noSpeechProbability: 0,
  };
}
