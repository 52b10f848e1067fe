import type { TranscriptSegment } from './transcription.ts';

/** SubRip. */
export function toSrt(segments: readonly TranscriptSegment[]): string {
  return segments
    .map(
      ({ start, end, text }, index) => `${index + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${text}\n`,
    )
    .join('\n');
}

/** WebVTT (https://www.w3.org/TR/webvtt1/); a speaker becomes a voice. */
export function toVtt(segments: readonly TranscriptSegment[]): string {
  const cues = segments.map(({ start, end, text, speaker }) => {
    const escaped = text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
    const voice = speaker === undefined ? '' : `<v Speaker ${speaker + 1}>`;
    return `${clock(start, '.')} --> ${clock(end, '.')}\n${voice}${escaped}\n`;
  });
  return ['WEBVTT\n', ...cues].join('\n');
}

function clock(seconds: number, separator: ',' | '.'): string {
  const milliseconds = Math.round(seconds * 1000);
  const part = (value: number, digits: number) => String(Math.floor(value)).padStart(digits, '0');
  const hours = part(milliseconds / 3_600_000, 2);
  const minutes = part((milliseconds / 60_000) % 60, 2);
  const whole = part((milliseconds / 1000) % 60, 2);
  return `${hours}:${minutes}:${whole}${separator}${part(milliseconds % 1000, 3)}`;
}
