import type { Transcript } from '../speech/transcript/segment.ts';
import { fullText } from './json.ts';

export function toText(transcript: Transcript): string {
  return fullText(transcript);
}
