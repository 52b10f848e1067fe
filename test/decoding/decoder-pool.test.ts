import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fixture, speechFiles } from '../../evaluation/spoken-files.ts';
import { joinSamples } from '../../src/audio/audio-block.ts';
import { BadAudio } from '../../src/audio/bad-audio.ts';
import { decodeAudio } from '../../src/audio/decode-audio.ts';
import { createFlacPcm, type FlacPcm } from '../../src/audio/flac/flac-pcm.ts';
import { createDecoderPool, type DecoderPoolOptions } from '../../src/decoding/decoder-pool.ts';
import type { HeardBlock } from '../../src/speech/windows/voice/voice-activity.ts';
import { createVoiceActivity } from '../../src/speech/windows/voice/voice-activity.ts';
import { hear } from '../../src/speech/windows/window-recording.ts';
import { inChunks, join, noise } from '../audio/fixtures.ts';
import { oggPage, opusHead, opusTags, wavHeader } from '../audio/hostile-files.ts';
import { decoderChildren } from '../support/inference-children.ts';
import { prepareTiny } from '../support/tiny-model.ts';

const { voiceActivityPath } = await prepareTiny();
const speech = fixture('speech-22k-vbr.mp3');

test('every file is heard as it is on this thread, many at once', async () => {
  await using pool = createPool();
  await using voice = await createVoiceActivity({ graphPath: voiceActivityPath });
  const files = speechFiles.map((name) => fixture(name));
  const there = await Promise.all(files.map((file) => collect(pool.decodeFile(inChunks(file), {}))));
  for (const [index, file] of files.entries()) {
    assert.deepEqual(
      there[index],
      await collect(hear(decodeAudio(inChunks(file)), voice)),
      speechFiles[index],
    );
  }
  assert.equal(pool.stats().decodings, 0);
  assert.equal(pool.stats().heldBytes, 0);
});

test('a live container and a live FLAC stream give the same samples', async () => {
  await using pool = createPool();
  const webm = fixture('speech-opus-live.webm');
  const [there, here] = [pool.decodeContainer(inChunks(webm, 300), {}), decodeAudio(inChunks(webm, 300))];
  assert.deepEqual(await samplesOf(there), await samplesOf(here));
  assert.deepEqual(await streamFlac(pool.openFlac()), await streamFlac(createFlacPcm()));
});

test('what is wrong with the bytes is told as on this thread', async () => {
  await using pool = createPool();
  const refused = { code: 'invalid_file_format', status: 400, param: 'file' };
  await assert.rejects(collect(pool.decodeFile(inChunks(noise(100_000)), {})), refused);
  await assert.rejects(collect(pool.decodeFile(inChunks(new Uint8Array(0)), {})), refused);
  const flac = pool.openFlac();
  await assert.rejects(
    flac.push(noise(500)),
    (error) => error instanceof BadAudio && /Send/.test(error.message),
  );
  flac.free();
  assert.equal(pool.stats().restarts, 0);
});

test('what the source throws is passed on, and an abort ends the wait for bytes', async () => {
  await using pool = createPool();
  const broken = new Error('the connection broke');
  const breaking = (async function* () {
    yield speech.subarray(0, 10_000);
    throw broken;
  })();
  await assert.rejects(collect(pool.decodeFile(breaking, {})), broken);
  const controller = new AbortController();
  const stalled = (async function* () {
    yield speech;
    controller.abort(new Error('the client went away'));
    await new Promise(() => {});
  })();
  await assert.rejects(collect(pool.decodeFile(stalled, { signal: controller.signal })), /went away/);
  await until(() => pool.stats().decodings === 0);
});

test('a consumer that waits makes the source wait, and one that stops stops it', async () => {
  await using pool = createPool();
  let read = 0;
  let closed = false;
  const source = (async function* () {
    try {
      yield wavHeader({});
      for (;;) {
        read += 32_000;
        yield new Uint8Array(32_000);
      }
    } finally {
      closed = true;
    }
  })();
  const heard = pool.decodeFile(source, {});
  assert.equal(read, 0);
  await heard.next();
  for (let before = -1; before !== read; await sleep(200)) before = read;
  assert(read < 1_500_000, `${read} bytes`);
  await heard.return(undefined);
  await until(() => closed);
});

test('a decoder process that is killed in mid-file costs nobody anything', { skip: !onLinux() }, async () => {
  await using pool = createPool({ processes: 2 });
  await pool.ready();
  const gates = Array.from({ length: 6 }, () => createGate());
  const files = gates.map((gate) => collect(pool.decodeFile(halves(speech, gate.opened), {})));
  await until(() => pool.stats().decodings === 6);
  await Promise.all(gates.map((gate) => gate.reached));
  for (const pid of decoderChildren()) process.kill(pid, 'SIGKILL');
  await until(() => pool.stats().restarts === 2);
  for (const gate of gates) gate.open();
  const whole = await collect(pool.decodeFile(inChunks(speech), {}));
  for (const file of files) assert.deepEqual(await file, whole);
});

test('a stream goes on in another process with every answer in its place', { skip: !onLinux() }, async () => {
  await using pool = createPool({ processes: 1 });
  await pool.ready();
  const killOnce = async (piece: number) => {
    if (piece === 20) process.kill(decoderChildren()[0]!, 'SIGKILL');
  };
  assert.deepEqual(await streamFlac(pool.openFlac(), killOnce), await streamFlac(createFlacPcm()));
});

test('a file too large to be kept is answered with 503 when its process dies, and others go on', {
  skip: !onLinux(),
}, async () => {
  await using pool = createPool({ processes: 1 });
  await pool.ready();
  const gate = createGate();
  const large = collect(
    pool.decodeFile(halves(join(wavHeader({}), new Uint8Array(20 << 20)), gate.opened), {}),
  );
  const other = createGate();
  const small = collect(pool.decodeFile(halves(speech, other.opened), {}));
  await Promise.all([gate.reached, other.reached]);
  await until(() => pool.stats().decodings === 2);
  process.kill(decoderChildren()[0]!, 'SIGKILL');
  await assert.rejects(large, { code: 'unavailable', status: 503, retryAfterSeconds: 2 });
  other.open();
  assert((await small).length > 0);
});

test('a file whose processes die again and again is refused', { skip: !onLinux() }, async () => {
  await using pool = createPool({ processes: 1 });
  await pool.ready();
  const gate = createGate();
  const deadly = collect(pool.decodeFile(halves(speech, gate.opened), {}));
  deadly.catch(() => {});
  for (let deaths = 1; deaths <= 2; deaths++) {
    await until(() => pool.stats().decodings === 1);
    await sleep(300);
    process.kill(decoderChildren()[0]!, 'SIGKILL');
    await until(() => pool.stats().restarts === deaths);
  }
  await assert.rejects(deadly, { code: 'invalid_file_format', message: /more time or memory/ });
});

test('a process that hangs is killed, and only what it worked on is refused', {
  skip: !onLinux(),
}, async () => {
  await using pool = createPool({ processes: 1, silenceTimeoutMs: 4_000 });
  await pool.ready();
  const [first, last] = [createGate(), createGate()];
  const innocent = collect(pool.decodeFile(halves(speech, first.opened), {}));
  await first.reached;
  await sleep(200);
  const suspect = collect(pool.decodeFile(halves(speech, last.opened), {}));
  await last.reached;
  await sleep(200);
  process.kill(decoderChildren()[0]!, 'SIGSTOP');
  await assert.rejects(suspect, { code: 'invalid_file_format', message: /more time or memory/ });
  first.open();
  assert((await innocent).length > 0);
});

test('a file that costs more processor time than it has audio is refused, and its process goes on', async () => {
  await using pool = createPool({ limits: { baseMs: 100, msPerMegabyte: 1 } });
  await pool.ready();
  const gate = createGate();
  const beside = collect(pool.decodeFile(halves(fixture('speech-16k.wav'), gate.opened), {}));
  const empty = oggPage({ serial: 1, sequence: 2, packets: [] });
  const pages = new Uint8Array(Buffer.alloc(300_000 * empty.length, empty));
  const head = oggPage({ serial: 1, sequence: 0, flags: 2, packets: [opusHead()] });
  const costly = join(head, oggPage({ serial: 1, sequence: 1, packets: [opusTags()] }), pages);
  await assert.rejects(collect(pool.decodeFile(inChunks(costly), {})), {
    code: 'invalid_file_format',
    message: /more time or memory/,
  });
  gate.open();
  assert((await beside).length > 0);
  assert.equal(pool.stats().restarts, 0);
});

test('a process that grows too large ends what made it grow', async () => {
  await using pool = createPool({ processes: 1, memoryLimitBytes: 1e6, memoryReportMs: 100_000 });
  await assert.rejects(collect(pool.decodeFile(inChunks(speech), {})), {
    code: 'invalid_file_format',
    message: /more time or memory/,
  });
  await until(() => pool.stats().restarts > 0);
});

test('processes that cannot start are answered with 503 and tried again later', async () => {
  await using pool = createPool({ voiceGraphPath: '/nowhere/voice.onnx' });
  await assert.rejects(pool.ready(), /cannot start/);
  await assert.rejects(collect(pool.decodeFile(inChunks(speech), {})), { code: 'unavailable' });
});

test('a decoder process knows no settings and no passwords', { skip: !onLinux() }, async () => {
  process.env.SIANN_REDIS_URL = 'redis://default:a-password@localhost';
  try {
    await using pool = createPool();
    await pool.ready();
    const seen = readFileSync(`/proc/${decoderChildren()[0]}/environ`, 'latin1');
    assert.match(seen, /PATH=/);
    assert.doesNotMatch(seen, /SIANN_|password/);
  } finally {
    delete process.env.SIANN_REDIS_URL;
  }
});

test('the end of the pool ends its processes and refuses what is left', { skip: !onLinux() }, async () => {
  const pool = createPool({ processes: 2 });
  await pool.ready();
  const open = collect(pool.decodeFile(halves(speech, new Promise(() => {})), {}));
  open.catch(() => {});
  await until(() => pool.stats().decodings === 1);
  await pool[Symbol.asyncDispose]();
  assert.deepEqual(decoderChildren(), []);
  await assert.rejects(open, { code: 'shutting_down' });
  await assert.rejects(collect(pool.decodeFile(inChunks(speech), {})), { code: 'shutting_down' });
});

function createPool(options: Partial<DecoderPoolOptions> = {}) {
  return createDecoderPool({
    processes: 1,
    voiceGraphPath: voiceActivityPath,
    memoryLimitBytes: 400e6,
    waitMs: 300_000,
    startTimeoutMs: 300_000,
    ...options,
  });
}

function onLinux(): boolean {
  return process.platform === 'linux';
}

type Gate = { opened: Promise<void>; open(): void; reached: Promise<void>; arrive(): void };
const gateOf = new WeakMap<Promise<void>, Gate>();

/** Bytes wait in front of it until it is opened. */
function createGate(): Gate {
  let open = () => {};
  let arrive = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const gate = { opened, open, reached, arrive };
  gateOf.set(opened, gate);
  return gate;
}

/** The second half comes when the gate is opened. */
async function* halves(bytes: Uint8Array, opened: Promise<void>): AsyncGenerator<Uint8Array> {
  const middle = Math.ceil(bytes.length / 2);
  yield* inChunks(bytes.subarray(0, middle));
  gateOf.get(opened)?.arrive();
  await opened;
  yield* inChunks(bytes.subarray(middle));
}

async function collect(blocks: AsyncIterable<HeardBlock>): Promise<HeardBlock[]> {
  const collected: HeardBlock[] = [];
  for await (const { samples, probabilities } of blocks) collected.push({ samples, probabilities });
  return collected;
}

async function samplesOf(chunks: AsyncIterable<Float32Array>): Promise<Float32Array> {
  const collected: Float32Array[] = [];
  for await (const chunk of chunks) collected.push(chunk);
  return joinSamples(collected);
}

async function streamFlac(
  flac: FlacPcm,
  beforePiece: (piece: number) => Promise<void> = async () => {},
): Promise<Float32Array[]> {
  const bytes = fixture('speech.flac');
  const answers: Float32Array[] = [];
  for (let piece = 0; piece * 2_000 < bytes.length; piece++) {
    await beforePiece(piece);
    answers.push(await flac.push(bytes.subarray(piece * 2_000, (piece + 1) * 2_000)));
  }
  answers.push(await flac.end());
  flac.free();
  return answers;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}
