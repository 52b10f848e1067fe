import { once } from 'node:events';
import { setTimeout as sleep, setImmediate as tick } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { pcmSampleRate } from '../../../src/audio/pcm.ts';
import { toLinear16 } from '../../../src/audio/samples/linear16.ts';
import { clearlySpoken, createRepeatedSpeech } from '../../service/clips.ts';
import { type Attack, repeat, type Target } from '../attack.ts';
import { unfinishedFlac } from '../flac-stream.ts';

const siann = '/v1/speech/realtime';
const openai = '/v1/realtime?intent=transcription';
/** How much the attacker's own machine lets wait. */
const waitingBytes = 4e6;
const halfSecondBytes = pcmSampleRate;

type Flood = (socket: WebSocket, isOver: () => boolean) => Promise<void>;

export const streamFloods: Attack[] = [
  flood('session.update, unread', openai, async (socket, isOver) => {
    deaf(socket);
    const input = { transcription: { prompt: 'p'.repeat(60_000) } };
    socket.send(
      JSON.stringify({ type: 'session.update', session: { type: 'transcription', audio: { input } } }),
    );
    await sendWhile(socket, isOver, () => socket.send('{"type":"session.update","session":{}}'));
  }),
  flood('pings, unread', siann, async (socket, isOver) => {
    deaf(socket);
    const payload = Buffer.alloc(125);
    await sendWhile(socket, isOver, () => socket.ping(payload));
  }),
  flood('finalize without end', siann, (socket, isOver) =>
    sendWhile(socket, isOver, () => socket.send('{"type":"finalize"}')),
  ),
  flood('half a second and finalize, five streams', siann, sendFinals, 5),
  flood('messages that are none, unread', siann, async (socket, isOver) => {
    deaf(socket);
    await sendWhile(socket, isOver, () => socket.send('{"type":"nonsense"}'));
  }),
  flood('frames without audio', `${siann}?encoding=MULAW&sample_rate=8000`, (socket, isOver) =>
    sendWhile(socket, isOver, () => socket.send(new Uint8Array(1), { fin: false })),
  ),
  flood('frames of one sample', siann, (socket, isOver) =>
    sendWhile(socket, isOver, () => socket.send(new Uint8Array(2))),
  ),
  flood('FLAC in frames of one byte', `${siann}?encoding=FLAC`, async (socket, isOver) => {
    for (const part of unfinishedFlac()) socket.send(part);
    await sendWhile(socket, isOver, () => socket.send(new Uint8Array(1)));
  }),
  flood('JSON that is deep', siann, (socket, isOver) => {
    const deep = `{"type":"keepalive","x":${'['.repeat(60_000)}${']'.repeat(60_000)}}`;
    return sendWhile(socket, isOver, () => socket.send(deep));
  }),
];

function flood(title: string, path: string, send: Flood, streams = 2): Attack {
  return {
    title,
    run: (target, until) =>
      repeat(streams, until, async () => {
        const socket = await open(target, path);
        const isOver = () => until.aborted || socket.readyState !== WebSocket.OPEN;
        try {
          await send(socket, isOver);
          // What was sent is worked on while the attacker waits.
          while (!isOver()) await sleep(50);
        } finally {
          socket.terminate();
          // One that is turned away comes again, and not a thousand times a second.
          await sleep(100);
        }
      }),
  };
}

/** Every half second of speech is made a final of its own, as fast as it is taken. */
async function sendFinals(socket: WebSocket, isOver: () => boolean): Promise<void> {
  const speech = toLinear16(await createRepeatedSpeech(10, clearlySpoken));
  let at = 0;
  await sendWhile(socket, isOver, () => {
    socket.send(speech.subarray(at, at + halfSecondBytes));
    socket.send('{"type":"finalize"}');
    at = (at + halfSecondBytes) % speech.length;
  });
}

async function open({ port, ca, key }: Target, path: string): Promise<WebSocket> {
  const socket = new WebSocket(`wss://localhost:${port}${path}`, {
    ca,
    headers: { authorization: `Bearer ${key}` },
    perMessageDeflate: false,
  });
  socket.on('error', () => {});
  await once(socket, 'open', { signal: AbortSignal.timeout(10_000) });
  return socket;
}

/** Sends and never reads. */
function deaf(socket: WebSocket): void {
  socket.pause();
}

async function sendWhile(socket: WebSocket, isOver: () => boolean, send: () => void): Promise<void> {
  while (!isOver()) {
    for (let i = 0; i < 500 && socket.bufferedAmount < waitingBytes; i++) send();
    await tick();
    while (socket.bufferedAmount >= waitingBytes && !isOver()) await sleep(20);
  }
}
