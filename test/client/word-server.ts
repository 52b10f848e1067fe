/**
 * A service with the protocol of live captions, over real sockets, that recognises numbers: a run of equal samples is a word,
 * and its value is the word; zeros are silence. So a test can count exactly which words a client loses or repeats.
 */
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { SessionEvent } from '../../wire/stream-events.ts';

export const sampleRate = 8000;
const silenceSamples = sampleRate * 0.2;

export type WordServer = {
  port: number;
  url: string;
  /** The headers and address of each connection. */
  connections: { url: string; authorization: string | undefined }[];
  /** Closes every connection with that code, or cuts it. */
  closeAll(code?: number): void;
  stop(): Promise<void>;
};

export async function startWordServer(port = 0): Promise<WordServer> {
  const server = new WebSocketServer({ port, host: '127.0.0.1' });
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  const taken = (server.address() as AddressInfo).port;
  const connections: WordServer['connections'] = [];
  server.on('connection', (socket, request) => {
    connections.push({ url: request.url ?? '', authorization: request.headers.authorization });
    serveWords(socket);
  });
  const closeAll = (code?: number) => {
    for (const socket of server.clients) code === undefined ? socket.terminate() : socket.close(code);
  };
  return {
    port: taken,
    url: `http://127.0.0.1:${taken}/v1`,
    connections,
    closeAll,
    async stop() {
      closeAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function serveWords(socket: WebSocket): void {
  const send = (event: SessionEvent) => socket.send(JSON.stringify(event));
  const utterance = { samples: 0, spoken: [] as number[], start: 0, end: 0, silence: 0, last: 0 };
  let seq = 0;
  let segment = 0;
  let odd = Buffer.alloc(0);
  send({
    type: 'session.begin',
    session_id: 'ses_test',
    expires_at: new Date(Date.now() + 60_000).toISOString(),
    config: {
      language: 'mixed',
      encoding: 'LINEAR16',
      sample_rate: sampleRate,
      interim_results: true,
      speaker_diarization: false,
      endpointing_ms: 200,
      words: false,
      hotwords: [],
    },
    limits: {
      max_frame_bytes: 262_144,
      max_buffered_seconds: 30,
      idle_seconds: 30,
      max_session_seconds: 14_400,
    },
  });

  const sendTranscript = (isFinal: boolean, fromFinalize = false) => {
    send({
      type: 'transcript',
      seq: seq++,
      segment_id: segment,
      is_final: isFinal,
      speech_final: isFinal,
      from_finalize: fromFinalize,
      start: utterance.start / sampleRate,
      end: utterance.end / sampleRate,
      text: utterance.spoken.join(' '),
      language: 'en',
    });
    if (!isFinal) return;
    segment += 1;
    Object.assign(utterance, { spoken: [], silence: 0, last: 0 });
  };
  const receiveSample = (sample: number) => {
    utterance.samples += 1;
    if (sample === 0) {
      utterance.last = 0;
      utterance.silence += 1;
      if (utterance.spoken.length > 0 && utterance.silence === silenceSamples) sendTranscript(true);
      return;
    }
    if (utterance.spoken.length === 0) {
      utterance.start = utterance.samples - 1;
      send({ type: 'speech.started', at: utterance.start / sampleRate });
    }
    utterance.silence = 0;
    utterance.end = utterance.samples;
    if (sample === utterance.last) return;
    utterance.last = sample;
    utterance.spoken.push(sample);
    sendTranscript(false);
  };

  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      const bytes = Buffer.concat([odd, data]);
      odd = bytes.subarray(bytes.length - (bytes.length % 2));
      for (let at = 0; at + 1 < bytes.length; at += 2) receiveSample(bytes.readInt16LE(at));
      return;
    }
    const { type } = JSON.parse(data.toString()) as { type: string };
    if (type === 'finalize' && utterance.spoken.length > 0) sendTranscript(true, true);
    if (type !== 'close') return;
    if (utterance.spoken.length > 0) sendTranscript(true);
    const seconds = utterance.samples / sampleRate;
    send({
      type: 'session.end',
      reason: 'closed_by_client',
      audio_seconds: seconds,
      billed_seconds: seconds,
    });
    socket.close(1000);
  });
}

/** Words of 100 ms, one for each number, with a pause after every fourth. */
export function spokenNumbers(count: number): Uint8Array {
  const samples: number[] = [];
  for (let word = 1; word <= count; word += 1) {
    samples.push(...Array(sampleRate * 0.1).fill(word), ...Array(sampleRate * 0.02).fill(0));
    if (word % 4 === 0) samples.push(...Array(sampleRate * 0.4).fill(0));
  }
  return new Uint8Array(Int16Array.from(samples).buffer);
}
