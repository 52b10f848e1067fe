import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { sign } from '../../support/accounts.ts';
import { connectDeepgram, connectOpenai } from '../../support/dialect-clients.ts';
import { startService, type TestService } from '../../support/service.ts';
import { connectStream, silence } from '../../support/stream-client.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service[Symbol.asyncDispose]());

const completed = 'conversation.item.input_audio_transcription.completed';
const delta = 'conversation.item.input_audio_transcription.delta';
/** LINEAR16 at 24 kHz. */
const second = () => new Uint8Array(48_000);

describe('the dialect of OpenAI', () => {
  test('makes an item of each utterance', async () => {
    await using openai = await connectOpenai(service);
    const created = await openai.until(({ type }) => type === 'session.created');
    assert.equal(created.session.type, 'transcription');
    assert.deepEqual(created.session.audio.input.format, { type: 'audio/pcm', rate: 24_000 });
    openai.client.send({
      type: 'session.update',
      session: {
        type: 'transcription',
        audio: {
          input: {
            transcription: { model: 'gpt-4o-transcribe', language: 'en' },
            turn_detection: { type: 'server_vad', silence_duration_ms: 400 },
          },
        },
      },
    });
    const updated = await openai.until(({ type }) => type === 'session.updated');
    assert.equal(updated.session.audio.input.transcription.language, 'en');
    assert.equal(updated.session.audio.input.turn_detection.silence_duration_ms, 400);

    for (let i = 0; i < 4; i++) openai.append(second());
    // The resampler needs a little audio ahead.
    openai.append(new Uint8Array(4800));
    const done = await openai.until(({ type }) => type === completed);
    assert.equal(done.transcript, 'word0 word1 word2 word3');
    assert.deepEqual(done.usage, { type: 'duration', seconds: 4 });
    const types = openai.messages.slice(2).map(({ type }) => type);
    const inOrder = types.filter((type, at) => type !== delta || types[at - 1] !== delta);
    assert.deepEqual(inOrder, [
      'input_audio_buffer.speech_started',
      delta,
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.created',
      completed,
      'conversation.item.done',
    ]);
    const deltas = openai.messages.filter(({ type }) => type === delta).map((message) => message.delta);
    assert.equal(deltas.join(''), done.transcript);
    const ids = new Set(openai.messages.flatMap(({ item_id }) => item_id ?? []));
    assert.equal(ids.size, 1);
  });

  test('without turn detection, waits for commits and drops what is cleared', async () => {
    await using openai = await connectOpenai(service);
    const turn_detection = null;
    openai.client.send({
      type: 'session.update',
      session: { type: 'transcription', audio: { input: { turn_detection } } },
    });
    for (let i = 0; i < 5; i++) openai.append(second());
    openai.client.send({ type: 'input_audio_buffer.clear' });
    await openai.until(({ type }) => type === 'input_audio_buffer.cleared');
    for (let i = 0; i < 5; i++) openai.append(second());
    openai.client.send({ type: 'input_audio_buffer.commit' });
    const done = await openai.until(({ type }) => type === completed);
    assert.equal(done.transcript, 'word5 word6 word7 word8 word9');
    assert.equal(openai.messages.filter(({ type }) => type === completed).length, 1);
    assert.ok(openai.messages.every(({ type }) => !type.startsWith('input_audio_buffer.speech')));
  });

  test('answers what it cannot do with an error, and goes on', async () => {
    await using openai = await connectOpenai(service);
    const wrong: [object, RegExp][] = [
      [{ type: 'response.create', event_id: 'mine' }, /Only transcription/],
      [{ type: 'session.update', session: { type: 'realtime' } }, /transcription sessions/],
      [
        { type: 'session.update', session: { audio: { input: { format: { type: 'audio/opus' } } } } },
        /format/,
      ],
      [{ type: 'input_audio_buffer.append', audio: 3 }, /base64/],
      [{ type: 'input_audio_buffer.commit' }, /no audio/],
    ];
    for (const [message, sentence] of wrong) {
      openai.client.send(message as never);
      await openai.until(({ type, error }) => type === 'error' && sentence.test(error.message));
    }
    assert.equal(openai.messages.find(({ type }) => type === 'error').error.event_id, 'mine');
    openai.append(second());
    openai.client.send({ type: 'input_audio_buffer.commit' });
    assert.equal((await openai.until(({ type }) => type === completed)).transcript, 'word0');
  });

  test('makes tokens in both forms, with the settings of the request', async () => {
    const session = { type: 'transcription', audio: { input: { transcription: { language: 'zh-TW' } } } };
    const asked = await service.fetch('/v1/realtime/client_secrets', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session }),
    });
    const { value, expires_at, ...rest } = asked.json() as { value: string; expires_at: number };
    assert.match(JSON.stringify(rest), /"language":"zh-TW"/);
    assert.match(value, /^ek_/);
    assert.ok(expires_at > Date.now() / 1000);
    const protocols = ['realtime', `openai-insecure-api-key.${value}`];
    await using client = await connectStream(service, {
      path: '/v1/realtime?model=siann-1',
      protocols,
      anonymous: true,
    });
    assert.equal(client.socket.protocol, 'realtime');
    const created = await client.until(({ type }) => type === 'session.created');
    assert.equal(created.session.audio.input.transcription.language, 'zh-TW');

    const older = await service.fetch('/v1/realtime/transcription_sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input_audio_format: 'g711_ulaw' }),
    });
    const { client_secret, input_audio_format } = older.json() as {
      client_secret: { value: string };
      input_audio_format: string;
    };
    assert.match(client_secret.value, /^ek_/);
    assert.equal(input_audio_format, 'g711_ulaw');
    for (const body of ['nonsense', '{"session":{"type":"realtime"}}', 'x'.repeat(70_000)]) {
      const refused = await service.fetch('/v1/realtime/client_secrets', { method: 'POST', body });
      assert.equal(refused.status, 400, body.slice(0, 20));
    }
  });

  test('for a key that signs its requests, verifies the settings too', async () => {
    const { key, id } = await service.service.accounts.keys.create({
      project: service.projectId,
      environment: 'live',
    });
    const { signingSecret } = await service.service.accounts.keys.requireSignature(id);
    const request = { method: 'POST', url: '/v1/realtime/client_secrets' };
    const body = JSON.stringify({ session: { type: 'transcription' } });
    const timestamp = Math.floor(Date.now() / 1000);
    const { signature, signatureTimestamp } = sign(signingSecret, { ...request, body, timestamp });
    const send = (content: string) =>
      service.fetch(request.url, {
        method: request.method,
        headers: {
          authorization: `Bearer ${key}`,
          'x-signature': signature!,
          'x-signature-timestamp': signatureTimestamp!,
        },
        body: content,
      });
    assert.equal((await send(body.replace('}}', ' }}'))).status, 403);
    assert.equal((await send(body)).status, 200);
    assert.equal((await send(body)).status, 403, 'a signature is taken once');
  });

  test('answers older clients, which have an intent in the address, in the older form', async () => {
    await using client = await connectStream(service, { path: '/v1/realtime?intent=transcription' });
    await client.until(({ type }) => type === 'transcription_session.created');
    const session = { input_audio_format: 'pcm16', turn_detection: { silence_duration_ms: 700 } };
    client.send({ type: 'transcription_session.update', session });
    const updated = await client.until(({ type }) => type === 'transcription_session.updated');
    assert.equal(updated.session.turn_detection.silence_duration_ms, 700);
    client.send(new Uint8Array(3));
    assert.equal((await client.closed).code, 1007);
    assert.match(client.messages.at(-1).error.message, /base64/);
  });
});

describe('the dialect of Deepgram', () => {
  test('sends results, utterance ends and metadata to Deepgram’s own client', async () => {
    await using deepgram = await connectDeepgram(service, {
      encoding: 'linear16',
      sample_rate: '16000',
      interim_results: 'true',
      vad_events: 'true',
      utterance_end_ms: '1000',
      endpointing: '300',
      keyterm: ['Siann', '聲'],
    });
    for (let i = 0; i < 40; i++) deepgram.connection.sendMedia(silence(0.1));
    const started = await deepgram.until(({ type }) => type === 'SpeechStarted');
    assert.equal(started.timestamp, 0);
    const final = await deepgram.until(({ is_final }) => is_final);
    assert.equal(final.channel.alternatives[0].transcript, 'word0 word1 word2 word3');
    assert.equal(final.speech_final, true);
    assert.deepEqual([final.start, final.duration], [0, 4]);
    assert.ok(deepgram.messages.some(({ type, is_final }) => type === 'Results' && !is_final));
    const ended = await deepgram.until(({ type }) => type === 'UtteranceEnd');
    assert.equal(ended.last_word_end, 4);
    for (let i = 0; i < 5; i++) deepgram.connection.sendMedia(silence(0.1));
    deepgram.connection.sendFinalize({ type: 'Finalize' });
    const finalized = await deepgram.until(({ from_finalize }) => from_finalize);
    assert.equal(finalized.channel.alternatives[0].transcript, 'word4');
    deepgram.connection.sendKeepAlive({ type: 'KeepAlive' });
    deepgram.connection.sendCloseStream({ type: 'CloseStream' });
    const metadata = await deepgram.until(({ type }) => type === 'Metadata');
    assert.equal(metadata.duration, 4.5);
    assert.match(metadata.request_id, /^req_/);
    assert.match(metadata.sha256, /^[0-9a-f]{64}$/);
  });

  test('refuses unsupported parameters before the upgrade, and unknown messages after it', async () => {
    const refused = (query: string) =>
      connectStream(service, { path: `/v1/listen?${query}` }).then(
        () => assert.fail(query),
        ({ status, body }) => [status, body.error.param],
      );
    assert.deepEqual(await refused('channels=2'), [400, 'channels']);
    assert.deepEqual(await refused('encoding=amr-wb'), [400, 'encoding']);
    assert.deepEqual(await refused('language=fr'), [400, 'language']);
    await using client = await connectStream(service, { path: '/v1/listen?encoding=mulaw&sample_rate=8000' });
    client.send({ type: 'Configure' });
    assert.equal((await client.closed).code, 1007);
    const error = client.messages.find(({ type }) => type === 'Error');
    assert.match(error.message, /CloseStream/);
  });

  test('ignores audio that comes after the end of a stream', async () => {
    const failures = () => service.logged.filter(({ msg }) => msg === 'stream failed').length;
    const before = failures();
    await using client = await connectStream(service, { path: '/v1/listen?encoding=linear16' });
    client.socket.on('message', (data) => {
      if (String(data).includes('"Metadata"')) client.send(silence(0.1));
    });
    client.send(silence(0.5));
    client.send({ type: 'CloseStream' });
    assert.equal((await client.closed).code, 1000);
    assert.equal(failures(), before);
  });

  test('decodes audio in a container when no encoding is named', async () => {
    await using client = await connectStream(service, { path: '/v1/listen' });
    client.send(await readFile(new URL('../../fixtures/audio/speech-opus.ogg', import.meta.url)));
    client.send({ type: 'CloseStream' });
    assert.equal((await client.closed).code, 1000);
    const metadata = client.messages.at(-1);
    assert.equal(metadata.type, 'Metadata');
    assert.ok(Math.abs(metadata.duration - 3.675) < 0.05, String(metadata.duration));
  });
});

describe('the dialect of WhisperLiveKit', () => {
  test('shows lines and the current partial of a browser’s recording', async () => {
    await using client = await connectStream(service, { path: '/asr?language=auto' });
    const config = await client.until(({ type }) => type === 'config');
    assert.equal(config.useAudioWorklet, false);
    const webm = await readFile(new URL('../../fixtures/audio/speech-opus-live.webm', import.meta.url));
    for (let at = 0; at < webm.length; at += 400) client.send(webm.subarray(at, at + 400));
    client.send(new Uint8Array(0));
    assert.equal((await client.closed).code, 1000);
    assert.deepEqual(client.messages.at(-1), { type: 'ready_to_stop' });
    const states = client.messages.filter(({ lines }) => lines);
    assert.ok(states.some(({ buffer_transcription }) => buffer_transcription.startsWith('word0')));
    const { lines, status } = states.at(-1);
    assert.equal(status, 'active_transcription');
    assert.deepEqual(lines, [
      { speaker: 1, text: 'word0 word1 word2 word3', start: '0:00:00', end: '0:00:03' },
    ]);
  });

  test('explains that data which is not audio cannot be read', async () => {
    await using client = await connectStream(service, { path: '/asr' });
    client.send(new Uint8Array(10_000).fill(7));
    client.send(new Uint8Array(0));
    assert.equal((await client.closed).code, 1003);
    assert.match(client.messages.at(-1).error, /cannot be read/);
  });
});
