import type { FileOptions } from './option-types.ts';
import { speakerName } from './speaker-number.ts';
import { columnsOf } from './text-width.ts';
import type { JsonSegment } from './transcripts.ts';

export type SubtitleOptions = Partial<FileOptions>;

type Cue = Pick<JsonSegment, 'start' | 'end' | 'text' | 'speaker'>;

/** SubRip subtitles. */
export function toSrt(segments: readonly Cue[], options: SubtitleOptions = {}): string {
  return withText(segments)
    .map((cue, index) => `${index + 1}\n${timesOf(cue, ',')}\n${srtText(cue, options)}\n\n`)
    .join('');
}

/** WebVTT subtitles (https://www.w3.org/TR/webvtt1/). A speaker becomes a voice. */
export function toVtt(segments: readonly Cue[], options: SubtitleOptions = {}): string {
  const cues = withText(segments).map((cue) => `${timesOf(cue, '.')}\n${vttText(cue, options)}\n\n`);
  return `WEBVTT\n\n${cues.join('')}`;
}

function withText(segments: readonly Cue[]): readonly Cue[] {
  return segments.filter(({ text }) => text.trim() !== '');
}

/** SubRip has no escapes, and its readers take `-->` for the start of a cue. Text therefore gets another arrow. */
function srtText({ text, speaker }: Cue, options: SubtitleOptions): string {
  const label = speaker === undefined ? '' : `${speakerName(speaker)}: `;
  return cueLines(label + text.trim(), options).replaceAll('-->', '→');
}

/** https://www.w3.org/TR/webvtt1/#webvtt-cue-text-span. Escaping `>` also makes `-->` harmless. */
function vttText({ text, speaker }: Cue, options: SubtitleOptions): string {
  const voice = speaker === undefined ? '' : `<v ${speakerName(speaker)}>`;
  const lines = cueLines(text, options);
  return voice + lines.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The text of a cue. It has no blank line, because that would end the cue. */
function cueLines(text: string, { maxLineWidth = Number.POSITIVE_INFINITY }: SubtitleOptions): string {
  const lines = text.trim().split(/\s*[\r\n\u2028\u2029]\s*/);
  return lines.flatMap((line) => wrapped(line, maxLineWidth)).join('\n');
}

const words = new Intl.Segmenter('zh-TW', { granularity: 'word' });
/** Marks that must not begin a line, and marks that must not end one. */
const closing = /^[\p{Pe}\p{Pf}\p{Po}…—～]/u;
const opening = /[\p{Ps}\p{Pi}]$/u;
const pause = /[，。！？；、,.!?;…][\p{Pe}\p{Pf}"]*\s*$/u;
/** A line is cut after punctuation if it is then at least this full; otherwise it is filled with words. */
const leastFilled = 0.5;

/** Lines of at most `maxColumns` columns. Only a line with a single word may be wider. */
function wrapped(text: string, maxColumns: number): string[] {
  if (columnsOf(text) <= maxColumns) return [text];
  const lines: string[] = [];
  let line = '';
  let atPunctuation = 0;
  for (const piece of unbreakable(text)) {
    while (line !== '' && columnsOf((line + piece).trimEnd()) > maxColumns) {
      const cut = atPunctuation || line.length;
      lines.push(line.slice(0, cut).trim());
      line = line.slice(cut).trimStart();
      atPunctuation = 0;
    }
    line += line === '' ? piece.trimStart() : piece;
    if (pause.test(piece) && columnsOf(line) >= leastFilled * maxColumns) atPunctuation = line.length;
  }
  return [...lines, line.trim()].filter((each) => each !== '');
}

/** Words, each with the spaces and marks that must stay on its line. */
function unbreakable(text: string): string[] {
  const pieces: string[] = [];
  for (const { segment } of words.segment(text)) {
    const last = pieces.at(-1);
    const joins = last !== undefined && (/^\s/.test(segment) || closing.test(segment) || opening.test(last));
    if (joins) pieces[pieces.length - 1] = last + segment;
    else pieces.push(segment);
  }
  return pieces;
}

function timesOf({ start, end }: Cue, separator: ',' | '.'): string {
  return `${clockTime(start, separator)} --> ${clockTime(end, separator)}`;
}

/** `hh:mm:ss`, the format's separator, and milliseconds. */
function clockTime(seconds: number, separator: ',' | '.'): string {
  const milliseconds = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const clock = [milliseconds / 3_600_000, (milliseconds / 60_000) % 60, (milliseconds / 1000) % 60];
  return `${clock.map(two).join(':')}${separator}${String(milliseconds % 1000).padStart(3, '0')}`;
}
