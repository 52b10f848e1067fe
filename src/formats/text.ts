import { joinText } from '../speech/text/join-text.ts';
import type { Transcript } from '../speech/transcript/segment.ts';

export function toText(transcript: Transcript): string {
  return joinText(transcript.segments.map((segment) => segment.text));
}
