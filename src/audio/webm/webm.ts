import { ServiceError } from '../../errors/service-error.ts';
import type { AudioBlock } from '../audio-block.ts';
import type { ByteReader } from '../byte-reader.ts';
import { readWebm } from './webm-reader.ts';
import { WebmTimeline } from './webm-timeline.ts';

/** The first audio track of a WebM or Matroska file. */
export async function* decodeWebm(reader: ByteReader, maxSeconds: number): AsyncGenerator<AudioBlock> {
  let timeline: WebmTimeline | undefined;
  try {
    for await (const item of readWebm(reader)) {
      if (item.kind === 'block') yield* timeline!.add(item.block);
      else if (item.kind === 'duration') {
        if (item.seconds > maxSeconds) throw new ServiceError('file_too_long');
      } else {
        const decoder = await item.track.createDecoder();
        if (!decoder) throw new ServiceError('invalid_file_format');
        timeline = new WebmTimeline(decoder);
      }
    }
    if (timeline) yield* timeline.finish();
  } finally {
    timeline?.free();
  }
}
