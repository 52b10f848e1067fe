/** A decoder process is killed while a file is uploaded. The ids of processes are found in Linux's /proc. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fixture } from '../../evaluation/spoken-files.ts';
import { createRecogniser } from '../../src/wiring/create-recogniser.ts';
import { decoderChildren } from '../support/inference-children.ts';
import { startService, type TestService } from '../support/service.ts';
import { testModels } from '../support/tiny-model.ts';

const options = process.platform === 'linux' ? {} : { skip: 'there is no /proc here' };
const boundary = 'a-boundary';

test(
  'a file is transcribed although all decoder processes are killed in its middle, and none is left in the end',
  options,
  async () => {
    const service = await startService({
      recogniser: createRecogniser,
      env: { SIANN_MODEL: 'tiny', SIANN_CACHE: testModels, SIANN_THREADS: '1', SIANN_PROCESSES: '1' },
    });
    try {
      await service.service.recogniser.ready();
      const whole = await upload(service, async () => {});
      const killed = await upload(service, async () => {
        // Recognition starts 200 ms after the first byte; the file may be in any state when its process dies.
        await sleep(1_000);
        for (const pid of decoderChildren()) process.kill(pid, 'SIGKILL');
      });
      assert.equal(whole.status, 200);
      assert.deepEqual(killed, whole);
      assert(service.logged.some(({ msg }) => msg === 'decoder process ended'));
    } finally {
      await service[Symbol.asyncDispose]();
    }
    assert.deepEqual(decoderChildren(), []);
  },
);

async function upload({ ports, ca, keys }: TestService, between: () => Promise<void>) {
  const file = fixture('speech-16k.wav');
  const sent = request({
    host: '127.0.0.1',
    servername: 'localhost',
    port: ports.live,
    path: '/v1/audio/transcriptions',
    method: 'POST',
    ca,
    agent: false,
    headers: {
      authorization: `Bearer ${keys.live}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
  });
  const head = (field: string) => `--${boundary}\r\nContent-Disposition: form-data; name=${field}\r\n\r\n`;
  sent.write(`${head('"model"')}siann-1\r\n${head('"file"; filename="speech.wav"')}`);
  sent.write(file.subarray(0, file.length / 2));
  await between();
  sent.write(file.subarray(file.length / 2));
  sent.end(`\r\n--${boundary}--\r\n`);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, body: await text(response) };
}
