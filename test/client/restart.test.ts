/** The real service with a real model is stopped in the middle of a sentence and started again. No word is lost or repeated. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type LiveEvent, Siann } from '../../client/siann.ts';
import { fixture } from '../../evaluation/spoken-files.ts';
import { createRecogniser } from '../../src/wiring/create-recogniser.ts';
import { decodeAll } from '../audio/fixtures.ts';
import { startService } from '../support/service.ts';
import { testModels } from '../support/tiny-model.ts';
import { toWave } from '../support/wave.ts';

describe('a live stream of the client', () => {
  for (const stop of ['drained', 'cut'] as const) {
    test(`has every word once when the service is ${stop} in the middle of a sentence and started again`, async () => {
      const dataFolder = await mkdtemp(join(tmpdir(), 'siann-restart-'));
      const start = (port: string) =>
        startService({
          dataFolder,
          recogniser: createRecogniser,
          env: {
            SIANN_TLS: 'proxy',
            SIANN_MODEL: 'tiny',
            SIANN_CACHE: testModels,
            SIANN_PORT: port,
            SIANN_DRAIN_SECONDS: '5',
          },
        });
      let running = await start('0');
      await running.service.recogniser.ready();
      const { ports, keys, addresses } = running;
      const siann = new Siann({
        apiKey: keys.live,
        baseUrl: addresses.live,
        headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' },
      });
      const stream = siann.listen({ language: 'en-US' });
      const events: LiveEvent[] = [];
      const ended = (async () => {
        for await (const event of stream) events.push(event);
      })();

      const samples = toWave(await decodeAll(fixture('two-sentences.flac'))).subarray(44);
      const frameBytes = 3200;
      let restarted: Promise<void> | undefined;
      for (let at = 0; at < samples.length; at += frameBytes) {
        await stream.write(samples.subarray(at, at + frameBytes));
        await delay(restarted ? 120 : 50);
        // The service stops between "The train" and "to the city leaves". Stopping takes a while.
        if (at / 32_000 > 5.8) restarted ??= restart();
      }
      stream.close();
      await restarted;
      await ended;
      await running[Symbol.asyncDispose]();
      await rm(dataFolder, { recursive: true, force: true });

      const finals = events.flatMap((event) =>
        event.type === 'transcript' && event.is_final ? [event] : [],
      );
      const text = finals.map((final) => final.text).join(' ');
      for (const word of ['bring', 'blue', 'folder', 'office', 'train', 'city', 'leaves', 'minutes'])
        assert.equal(text.toLowerCase().split(word).length - 1, 1, `${word} in: ${text}`);
      assert.ok(events.some(({ type }) => type === 'connection.restored'));
      const second = finals.find((final) => /train/i.test(final.text))!;
      assert.ok(Math.abs(second.start - 5.34) < 0.6, `${second.start}`);
      for (const [index, final] of finals.entries()) assert.equal(final.segment_id, index);

      async function restart(): Promise<void> {
        if (stop === 'drained') await running.service.drain();
        await running[Symbol.asyncDispose]();
        running = await start(String(ports.live));
      }
    });
  }
});
