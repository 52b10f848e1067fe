import type { Random } from '../../../evaluation/random.ts';
import { fixture, speechFiles } from '../../../evaluation/spoken-files.ts';
import { damaged } from './damage.ts';
import type { MutatedRequest, RequestContext } from './mutated-request.ts';
import { type Header, wireRequest } from './wire.ts';

const addresses = [
  '/v1/speech/realtime',
  '/v1/speech/realtime?encoding=FLAC',
  '/v1/speech/realtime?encoding=MULAW&sample_rate=8000',
  '/v1/realtime?intent=transcription',
  '/v1/listen',
  '/v1/listen?encoding=linear16&sample_rate=16000',
  '/asr',
];
const parameters = [
  'sample_rate=0',
  'sample_rate=1e9',
  'sample_rate=383993',
  'encoding=constructor',
  'hotwords=%00',
  `hotwords=${'a,'.repeat(3000)}`,
  `prompt=${'%E8%81%B2'.repeat(500)}`,
  'endpointing_ms=-1',
  'speaker_diarization=maybe',
  'language=__proto__',
  'interim_results=false&interim_results=true',
];
const controls = [
  '{"type":"finalize"}',
  '{"type":"keepalive"}',
  '{"type":"Finalize"}',
  '{"type":"KeepAlive"}',
  '{"type":"CloseStream"}',
  '{"type":"constructor"}',
  '{"type":{"toString":1}}',
  '{"__proto__":{"type":"close"}}',
  '{"type":"session.update","session":{"type":"transcription","audio":{"input":{"turn_detection":{"type":"semantic_vad","eagerness":"constructor"}}}}}',
  '{"type":"session.update","session":{"audio":{"input":{"format":{"type":"audio/pcm","rate":1}}}}}',
  '{"type":"input_audio_buffer.append","audio":"AAAA"}',
  '{"type":"input_audio_buffer.append","audio":"not base64 at all"}',
  '{"type":"input_audio_buffer.append","audio":7}',
  '{"type":"input_audio_buffer.commit"}',
  '{"type":"input_audio_buffer.clear"}',
  '[]',
  'null',
  '',
  '\ufeff{}',
  `{"a":${'['.repeat(20_000)}`,
];
const opcodes = [1, 1, 1, 2, 2, 2, 2, 0, 8, 9, 10, 3, 11];
const maxFrames = 30;

/** A stream that is opened as it should be and then sends frames as they come to its mind. */
export function mutatedStream({ random, key }: RequestContext): MutatedRequest {
  const address = random.pick(addresses);
  const parameter = random.next() < 0.2 ? random.pick(parameters) : undefined;
  const path = parameter ? `${address}${address.includes('?') ? '&' : '?'}${parameter}` : address;
  const headers: Header[] = [
    ['Host', 'localhost'],
    ['Authorization', `Bearer ${key}`],
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Version', '13'],
    [
      'Sec-WebSocket-Key',
      Buffer.from(Array.from({ length: 16 }, () => random.below(256))).toString('base64'),
    ],
    ...(random.next() < 0.3 ? [['Sec-WebSocket-Extensions', 'permessage-deflate'] as Header] : []),
  ];
  const frames = Array.from({ length: random.below(maxFrames) }, () => frame(random));
  return {
    name: `stream ${path.slice(0, 80)}, ${frames.length} frames`,
    method: 'GET',
    path,
    bytes: wireRequest(`GET ${path} HTTP/1.1`, headers, Buffer.concat(frames)),
    ends: true,
    // Several frames in a read, or a frame in several.
    ...(random.next() < 0.5 && { pieceBytes: 1 + random.below(600) }),
  };
}

function frame(random: Random): Buffer {
  const isProper = random.next() < 0.85;
  const opcode = isProper ? random.pick([1, 2, 2, 9]) : random.pick(opcodes);
  // Audio is hardly ever UTF-8, as text has to be.
  const isText = opcode === 1 && random.next() < 0.9;
  const payload = isText ? Buffer.from(random.pick(controls)) : audio(random);
  const body = opcode >= 8 ? payload.subarray(0, isProper ? 125 : 300) : payload;
  const claimed = isProper || random.next() < 0.7 ? body.length : random.pick([0, 126, 70_000, 2 ** 31]);
  const first =
    (isProper || random.next() < 0.7 ? 0x80 : 0) | opcode | (isProper ? 0 : random.pick([0, 0x40, 0x10]));
  const masked = isProper || random.next() < 0.8;
  const mask = Buffer.from([random.below(256), random.below(256), random.below(256), random.below(256)]);
  const sent = masked ? body.map((byte, at) => byte ^ mask[at % 4]!) : body;
  return Buffer.concat([
    Buffer.from([first]),
    length(claimed, masked),
    masked ? mask : Buffer.alloc(0),
    sent,
  ]);
}

function length(bytes: number, masked: boolean): Buffer {
  const bit = masked ? 0x80 : 0;
  if (bytes < 126) return Buffer.from([bit | bytes]);
  if (bytes < 65_536) return Buffer.from([bit | 126, bytes >> 8, bytes & 0xff]);
  const long = Buffer.alloc(9);
  long[0] = bit | 127;
  long.writeBigUInt64BE(BigInt(bytes), 1);
  return long;
}

function audio(random: Random): Buffer {
  const file = fixture(random.pick(speechFiles));
  const from = random.next() < 0.5 ? 0 : random.below(file.length);
  const piece = Buffer.from(file.subarray(from, from + 1 + random.below(4000)));
  return random.next() < 0.3 ? damaged(piece, random).bytes : piece;
}
