import type { FileOptions } from '../wire/option-types.ts';
import type { FileEvent, JsonSegment, JsonTranscript } from '../wire/transcripts.ts';
import { SiannError } from './errors.ts';
import { createEventQueue } from './event-queue.ts';
import { optionTexts } from './option-texts.ts';
import type { SendRequest } from './requests.ts';
import { readServerSentEvents } from './server-sent-events.ts';

export type Language = FileOptions['language'];

/** Options that the client decides itself. */
type Decided = 'model' | 'responseFormat' | 'timestampGranularities' | 'stream';

export type TranscribeOptions = Partial<Omit<FileOptions, Decided>> & { signal?: AbortSignal };

export type TranscriptSegment = JsonSegment;

export type Transcript = JsonTranscript & { segments: TranscriptSegment[] };

export type AudioFile = Blob | ArrayBuffer | Uint8Array;

/** Await it for the whole transcript, or iterate over its segments while the file is being transcribed. */
export type Transcription = Promise<Transcript> & AsyncIterable<TranscriptSegment>;

export function transcribe(
  send: SendRequest,
  file: AudioFile,
  options: TranscribeOptions = {},
): Transcription {
  const stop = new AbortController();
  const segments = createEventQueue<TranscriptSegment>(() => stop.abort());
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const whole = run(send, file, { ...options, signal }, (segment) => segments.push(segment));
  // A caller that only iterates gets a failure from the iterator.
  whole.then(
    () => segments.end(),
    (error) => segments.end(error),
  );
  return Object.assign(whole, { [Symbol.asyncIterator]: () => segments[Symbol.asyncIterator]() });
}

async function run(
  send: SendRequest,
  file: AudioFile,
  options: TranscribeOptions,
  onSegment: (segment: TranscriptSegment) => void,
): Promise<Transcript> {
  const response = await send('/audio/transcriptions', {
    method: 'POST',
    body: () => formOf(file, options),
    signal: options.signal,
  });
  const segments: TranscriptSegment[] = [];
  for await (const data of eventsOf(response, options.signal)) {
    const event = JSON.parse(data) as FileEvent;
    if (event.type === 'transcript.text.segment') {
      const { start, end, text, speaker } = event;
      const labelled = { ...(speaker !== undefined && { speaker }) };
      const segment = { id: segments.length, start, end, text, ...labelled };
      segments.push(segment);
      onSegment(segment);
    } else if (event.type === 'transcript.text.done') {
      const { text, usage } = event;
      return {
        task: 'transcribe',
        duration: usage.seconds,
        text,
        segments,
        ...speakersIn(segments, options),
      };
    } else if (event.type === 'error') {
      const { message, code, type, param } = event.error;
      const requestId = response.headers.get('x-request-id') ?? undefined;
      throw new SiannError({ message, code, type, param, requestId });
    }
  }
  throw new SiannError({
    message: 'The connection ended before the transcript did. Send the file again.',
    code: 'connection_lost',
  });
}

async function* eventsOf(response: Response, signal: AbortSignal | undefined): AsyncGenerator<string> {
  try {
    if (response.body) yield* readServerSentEvents(response.body);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new SiannError({
      message: 'The connection was lost while the file was being transcribed. Send the file again.',
      code: 'connection_lost',
      cause,
    });
  }
}

function speakersIn(segments: readonly TranscriptSegment[], { speakerDiarization }: TranscribeOptions) {
  if (!speakerDiarization) return {};
  return { num_speakers: new Set(segments.map(({ speaker }) => speaker)).size };
}

/** The options come first, so that recognition can begin before a long file has arrived. */
function formOf(file: AudioFile, { signal, ...options }: TranscribeOptions): FormData {
  const form = new FormData();
  const decided = { model: 'siann-1', stream: true } as const;
  for (const [name, text] of optionTexts({ ...decided, ...options })) form.set(name, text);
  form.set('file', file instanceof Blob ? file : new Blob([file as Uint8Array<ArrayBuffer>]), nameOf(file));
  return form;
}

function nameOf(file: AudioFile): string {
  return 'name' in file && typeof file.name === 'string' ? file.name : 'audio';
}
