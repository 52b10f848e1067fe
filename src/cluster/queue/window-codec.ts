import { packAudio } from '../../audio/samples/packed-audio.ts';
import type {
  PackedWindow,
  RecognisedSegment,
  RecognisedWindow,
  WindowJob,
  WindowResult,
} from '../../speech/windows/window-messages.ts';
import { createCheckedReader } from './checked-json.ts';
import type { JobCodec } from './job-codec.ts';
import { windowHeadSchema, windowResultSchema } from './window-schemas.ts';

/** A packed window is the length of the head, the head as JSON, and the samples. */
type Head = Omit<WindowJob, 'audio'> & { fullScale: number };
const lengthBytes = 4;
const maxHeadBytes = 128 * 1024;
/** Thirty seconds of samples are 960,000 bytes. */
const maxJobBytes = 2 * 1024 * 1024;
const maxResultBytes = 512 * 1024;

const readHead = createCheckedReader<Head>({
  what: 'The head of a window',
  maxBytes: maxHeadBytes,
  schema: windowHeadSchema,
});
const readResult = createCheckedReader<WindowResult>({
  what: 'The result of a window',
  maxBytes: maxResultBytes,
  schema: windowResultSchema,
});

/**
 * Windows with their audio in 16 bits. The audio stays packed until it is in the inference process. Both sides check what they
 * are given: whoever can write to Redis could have written it.
 */
export const windowCodec: JobCodec<WindowJob, WindowResult, PackedWindow> = {
  maxJobBytes,
  maxResultBytes,

  packJob({ audio, ...rest }) {
    const { samples, fullScale } = packAudio(audio);
    const head = Buffer.from(JSON.stringify(sentHead({ ...rest, fullScale })));
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32LE(head.length);
    return Buffer.concat([length, head, samples]);
  },

  unpackJob(bytes) {
    if (bytes.length < lengthBytes || bytes.length > maxJobBytes)
      throw new Error('A window is shorter or longer than one can be.');
    const start = lengthBytes + bytes.readUInt32LE();
    if (start > bytes.length || (bytes.length - start) % 2 !== 0) throw new Error('A window is cut off.');
    const { fullScale, ...rest } = readHead(bytes.subarray(lengthBytes, start));
    return { ...rest, audio: { samples: bytes.subarray(start), fullScale } };
  },

  packResult: (result) => Buffer.from(JSON.stringify(sentResult(result))),
  unpackResult: readResult,
};

// The fields that the other side expects, and no others.

function sentHead({ speech, fullScale, ...rest }: Head): Head {
  const stretches = speech.map(({ startSeconds, endSeconds }) => ({ startSeconds, endSeconds }));
  // Samples that are no numbers have no peak; they are packed as silence.
  return { ...rest, speech: stretches, fullScale: Number.isFinite(fullScale) ? fullScale : 1 };
}

function sentResult(result: WindowResult): WindowResult {
  if (!('recognised' in result)) return result;
  const { segments, ...window } = result.recognised;
  return { recognised: { ...window, segments: segments.map(sentSegment) } satisfies RecognisedWindow };
}

function sentSegment(segment: RecognisedSegment): RecognisedSegment {
  const { startSeconds, endSeconds, text, tokens, logProbabilities, words } = segment;
  return { startSeconds, endSeconds, text, tokens, logProbabilities, words };
}
