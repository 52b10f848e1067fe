import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from '../../evaluation/spoken-files.ts';
import { decodeAll, indexOf, join, noise } from './fixtures.ts';

const mp3 = fixture('speech-22k-vbr.mp3');
const webm = fixture('speech-opus.webm');
const ogg = fixture('speech-opus.ogg');
const flac = fixture('speech.flac');
const wav = fixture('speech-16k.wav');

const files: Record<string, Uint8Array> = {
  'an empty file': new Uint8Array(0),
  'a single byte': Uint8Array.of(0xff),
  'a line of text': Buffer.from('The quick brown fox\n'),
  'much text': Buffer.from('The quick brown fox\n'.repeat(200_000)),
  'text in UTF-16 with its mark': join(
    [0xff, 0xfe],
    Buffer.from('The quick brown fox\n'.repeat(500), 'utf16le'),
  ),
  'a web page': Buffer.from('<!doctype html><html><body>Hello</body></html>'),
  'random bytes': noise(3_000_000),
  'nothing but 0xff': new Uint8Array(100_000).fill(0xff),
  'nothing but zeros': new Uint8Array(3_000_000),
  'a zip with an mp3 stored in it': join(
    Buffer.from('PK\x03\x04'),
    new Uint8Array(26),
    Buffer.from('a.mp3'),
    mp3,
  ),
  'a photograph': join([0xff, 0xd8, 0xff, 0xe0], noise(200_000, 2)),
  'an mp4': join([0, 0, 0, 24], Buffer.from('ftypM4A \0\0\0\0M4A mp42'), Buffer.from('\0\0\0\0mdat'), mp3),
  'AAC in ADTS': join(...Array.from({ length: 50 }, () => adtsFrame())),
  'an AVI': join(Buffer.from('RIFF\xff\xff\0\0AVI LIST', 'latin1'), noise(10_000)),
  'an ID3 tag with nothing after it': join(
    Buffer.from('ID3\x03\0\0\0\0\x10\0', 'latin1'),
    new Uint8Array(2_048),
  ),
  'mp3 frames more than a megabyte into noise': join(noise(1_200_000), mp3),
  'a wav without a format': join(wav.subarray(0, 12), wav.subarray(indexOf(wav, 'data'))),
  'a wav without data': wav.subarray(0, 36),
  'a wav with an empty data chunk': wav.subarray(0, 44),
  'a wav of no channels': patched(wav, 22, [0, 0]),
  'a wav at a rate of zero': patched(wav, 24, [0, 0, 0, 0]),
  'a wav in a codec of its own': patched(wav, 20, [0x11, 0]),
  'a webm without its tracks': join(
    webm.subarray(0, 60),
    webm.subarray(indexOf(webm, [0x1f, 0x43, 0xb6, 0x75])),
  ),
  'a webm of video alone': patched(webm, indexOf(webm, [0x83, 0x81, 0x02]), [0x83, 0x81, 0x01]),
  'a webm in an unknown codec': patched(webm, indexOf(webm, 'A_OPUS'), Buffer.from('A_SAUR')),
  'a webm cut before its first block': webm.subarray(0, indexOf(webm, [0x1f, 0x43, 0xb6, 0x75]) + 12),
  'a webm whose header claims a petabyte': join(
    webm.subarray(0, 4),
    [0x01, 0x04, 0, 0, 0, 0, 0, 0],
    noise(10_000),
  ),
  'an ogg of video alone': patched(ogg, indexOf(ogg, 'OpusHead'), Buffer.from('\x80theora ')),
  'an ogg cut after its headers': ogg.subarray(0, indexOf(ogg, 'OggS', indexOf(ogg, 'OpusTags'))),
  'a flac without frames': flac.subarray(0, 42),
  'a flac at a rate of zero': patched(flac, 18, [0, 0, 0]),
};

for (const [name, bytes] of Object.entries(files)) {
  test(`${name} is refused as no audio`, async () => {
    await assert.rejects(decodeAll(bytes), { code: 'invalid_file_format' });
  });
}

test('what the source throws is passed on as it is', async () => {
  const broken = new Error('the connection broke');
  const source = (async function* () {
    yield wav.subarray(0, 10_000);
    throw broken;
  })();
  await assert.rejects(decodeAll(source), broken);
});

function patched(bytes: Uint8Array, at: number, patch: ArrayLike<number>): Uint8Array {
  assert.ok(at >= 0);
  const copy = bytes.slice();
  copy.set(patch, at);
  return copy;
}

function adtsFrame(): Uint8Array {
  return join([0xff, 0xf1, 0x50, 0x80, 0x2b, 0x9f, 0xfc], noise(341));
}
