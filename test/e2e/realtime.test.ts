/** A spoken recording at nearly the pace of speech, through every dialect, recognised by the real model. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveEvent } from '../../client/siann.ts';
import { fixture } from '../../evaluation/spoken-files.ts';
import { createServiceClient } from '../../src/cli/recordings/service-client.ts';
import { createRecogniser } from '../../src/wiring/create-recogniser.ts';
import { decodeAll } from '../audio/fixtures.ts';
import { connectDeepgram, connectOpenai } from '../support/dialect-clients.ts';
import { startService, type TestService } from '../support/service.ts';
import { connectStream, finalsOf } from '../support/stream-client.ts';
import { testModels } from '../support/tiny-model.ts';
import { toWave } from '../support/wave.ts';

let service: TestService;
before(async () => {
  service = await startService({
    recogniser: createRecogniser,
    env: { SIANN_MODEL: 'tiny', SIANN_CACHE: testModels },
  });
  await service.service.recogniser.ready();
});
after(() => service[Symbol.asyncDispose]());

/** "The meeting starts at nine o'clock on Monday morning in the large room." */
const recognised = /meeting.*monday.*room/i;
const wave = () => fixture('speech-16k.wav').subarray(44);

/** In frames of so many bytes, twice as quick as it was spoken. */
async function play(
  bytes: Uint8Array,
  frameBytes: number,
  frameMs: number,
  send: (frame: Uint8Array) => void,
) {
  for (let at = 0; at < bytes.length; at += frameBytes) {
    send(bytes.subarray(at, at + frameBytes));
    await sleep(frameMs / 2);
  }
}

test('our own', async () => {
  await using client = await connectStream(service, {
    path: '/v1/speech/realtime?language=en-US&words=true',
  });
  await play(wave(), 3200, 100, client.send);
  client.send({ type: 'close' });
  assert.equal((await client.closed).code, 1000);
  const finals = finalsOf(client.messages);
  assert.match(finals.map(({ text }) => text).join(' '), recognised);
  assert.ok(finals[0]!.words!.length > 5);
  assert.ok(client.messages.some(({ type }) => type === 'speech.started'));
  assert.equal(client.messages.at(-1).audio_seconds, 3.675);
});

test('our own dialect, by the client, which is told who speaks', async () => {
  const { addresses, keys, ca } = service;
  const siann = createServiceClient({ url: addresses.live, key: keys.live, ca });
  const stream = siann.listen({ language: 'en-US', speakerDiarization: true });
  const events: LiveEvent[] = [];
  const ended = (async () => {
    for await (const event of stream) events.push(event);
  })();
  // A woman and a man, a sentence each.
  const conversation = toWave(await decodeAll(fixture('two-sentences.flac'))).subarray(44);
  await play(conversation, 3200, 100, (frame) => void stream.write(frame));
  stream.close();
  await ended;
  const finals = events.flatMap((event) => (event.type === 'transcript' && event.is_final ? [event] : []));
  const speakerOf = (pattern: RegExp) => finals.find(({ text }) => pattern.test(text))?.speaker;
  assert.deepEqual([speakerOf(/folder/i), speakerOf(/train/i)], [0, 1], JSON.stringify(finals));
  const end = events.at(-1)!;
  assert.ok(end.type === 'session.end' && end.num_speakers === 2, JSON.stringify(end));
});

test('our own, with FLAC in frames split anywhere', async () => {
  await using client = await connectStream(service, { path: '/v1/speech/realtime?encoding=flac' });
  await play(fixture('speech.flac'), 1777, 80, client.send);
  client.send(new Uint8Array(0));
  assert.equal((await client.closed).code, 1000);
  assert.match(
    finalsOf(client.messages)
      .map(({ text }) => text)
      .join(' '),
    recognised,
  );
});

test('OpenAI’s', async () => {
  await using openai = await connectOpenai(service);
  openai.client.send({
    type: 'session.update',
    session: { type: 'transcription', audio: { input: { format: { type: 'audio/pcm', rate: 24_000 } } } },
  });
  const pcm = await decodeAll(fixture('speech-16k.wav'));
  const samples = new Int16Array(Math.floor(pcm.length * 1.5) + 24_000);
  for (let i = 0; i < samples.length; i++) samples[i] = Math.round((pcm[Math.floor(i / 1.5)] ?? 0) * 32_767);
  await play(new Uint8Array(samples.buffer), 4800, 100, openai.append);
  const completed = await openai.until(({ type }) => type.endsWith('transcription.completed'));
  assert.match(completed.transcript, recognised);
});

test('Deepgram’s', async () => {
  await using deepgram = await connectDeepgram(service, {
    encoding: 'linear16',
    sample_rate: '16000',
    language: 'en',
    interim_results: 'true',
  });
  await play(wave(), 3200, 100, (frame) => deepgram.connection.sendMedia(frame));
  deepgram.connection.sendCloseStream({ type: 'CloseStream' });
  await deepgram.until(({ type }) => type === 'Metadata');
  const finals = deepgram.messages.filter(({ is_final }) => is_final);
  assert.match(finals.map(({ channel }) => channel.alternatives[0].transcript).join(' '), recognised);
  const words = finals.flatMap(({ channel }) => channel.alternatives[0].words);
  assert.ok(
    words.some(({ word }) => word === 'monday'),
    JSON.stringify(words),
  );
});

test('WhisperLiveKit’s, with webm as a browser records it', async () => {
  await using client = await connectStream(service, { path: '/asr' });
  const webm = fixture('speech-opus-live.webm');
  await play(webm, Math.ceil(webm.length / 37), 100, client.send);
  client.send(new Uint8Array(0));
  await client.until(({ type }) => type === 'ready_to_stop');
  const { lines } = client.messages.filter((message) => message.lines).at(-1);
  assert.match(lines.map(({ text }: { text: string }) => text).join(' '), recognised);
});
