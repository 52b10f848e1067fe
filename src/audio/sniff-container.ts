export type AudioContainer = 'mp3' | 'wav' | 'webm' | 'flac' | 'ogg';

export const sniffedBytes = 12;

/** Beginnings of files that are not mp3, although something in them may look like mp3 frames. */
const otherMagics = [
  'PK\x03\x04',
  '\xff\xd8\xff',
  '\x89PNG',
  'GIF8',
  '%PDF',
  'RIFF',
  'RIFX',
  'FORM',
  'ID3',
  '{\\rtf',
];

/** The container that the first bytes (after any ID3v2 tag) announce; `mp3` means only that nothing else fits. */
export function sniffContainer(head: Uint8Array): AudioContainer | undefined {
  const text = String.fromCharCode(...head.subarray(0, sniffedBytes));
  if (/^(RIFF|RF64|BW64)....WAVE/s.test(text)) return 'wav';
  if (text.startsWith('fLaC')) return 'flac';
  if (text.startsWith('OggS')) return 'ogg';
  if (text.startsWith('\x1a\x45\xdf\xa3')) return 'webm';
  if (text.length < 4 || text.slice(4, 8) === 'ftyp' || otherMagics.some((magic) => text.startsWith(magic))) {
    return undefined;
  }
  return 'mp3';
}
