import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Lease } from '../../../accounts/admission.ts';
import { hasCode, ServiceError } from '../../../errors/service-error.ts';
import { invalidValue } from '../../fields/field-values.ts';
import {
  fieldNames,
  type RecognitionRequest,
  readPartialRequest,
  readTranscriptionRequest,
  type TranscriptionRequest,
} from '../../fields/transcription-request.ts';
import type { RecognitionRun } from '../recognition-run.ts';
import type { FileTape } from './file-tape.ts';
import { createFormReader } from './form-reader.ts';
import { maxFileBytes, maxHeldBytes } from './upload-limits.ts';

export type ReceiveOptions = {
  chunks: AsyncIterable<Uint8Array>;
  boundary: string;
  contentLength: number | undefined;
  acceptsOnlyText: boolean;
  lease: Pick<Lease, 'signed' | 'verifyBody'>;
  tape: FileTape;
  start(bytes: AsyncIterable<Uint8Array>, asked: RecognitionRequest): RecognitionRun;
};

/** A form that has ended by then is read whole before recognition starts, so that no late field makes it start again. */
const patienceMs = 200;

/**
 * Reads a form to its end while its file is already being recognised, with what is known of the request by then. A field that
 * comes after the file and asks for something else starts recognition over, from the bytes that are held for this:
 * docs/decisions/015.
 */
export async function receiveUpload(
  options: ReceiveOptions,
): Promise<{ request: TranscriptionRequest; run: RecognitionRun }> {
  const { tape, start, acceptsOnlyText } = options;
  const form = createFormReader({
    boundary: options.boundary,
    known: fieldNames,
    onFile: tape.append,
    onFileEnd: tape.end,
  });
  let whole = false;
  const received = receive();
  received.catch(() => {});

  let run: RecognitionRun | undefined;
  const patience = tape.begun.then(() => delay(patienceMs, 'over' as const, { ref: false }));
  if ((await Promise.race([received, patience])) === 'over') {
    run = start(tape.read(), foresee(readPartialRequest(form.fields, { acceptsOnlyText })));
    await receivedOrFailed(run);
  }
  const request = readTranscriptionRequest(form.fields, { acceptsOnlyText });
  if (run && differsIn(run.asked, request.recognition) !== undefined) {
    refuseUnlessRewindable(run.asked, request.recognition);
    run.cancel();
    run = undefined;
  }
  run ??= start(tape.read(), request.recognition);
  tape.letGo();
  return { request, run };

  async function receive(): Promise<void> {
    const hash = options.lease.signed ? createHash('sha256') : undefined;
    for await (const chunk of options.chunks) {
      hash?.update(chunk);
      form.push(chunk);
      await tape.room();
    }
    whole = true;
    if (hash) await options.lease.verifyBody(hash.digest('hex'));
    form.end();
  }

  /** A file that may be too long to be held is recognised with what a late field could ask for and most do not. */
  function foresee({ recognition, output }: TranscriptionRequest): RecognitionRequest {
    const heldWhole = options.contentLength !== undefined && options.contentLength <= maxHeldBytes;
    const formatKnown = form.fields.has('response_format') && output.format !== 'verbose_json';
    return { ...recognition, words: recognition.words || (!heldWhole && !formatKnown) };
  }

  async function receivedOrFailed({ ended }: RecognitionRun): Promise<void> {
    let failure: { reason: unknown } | undefined;
    const failed = new Promise<never>((_, reject) => {
      ended.catch((reason) => {
        if (whole) return;
        failure = { reason };
        // Nobody reads the rest of the file, and the body must not wait for that.
        tape[Symbol.dispose]();
        if (!mustBeReadWhole(reason)) reject(reason);
      });
    });
    await Promise.race([received, failed]);
    if (failure) throw failure.reason;
  }

  /**
   * What is wrong with a file is said at once, unless its sender may be told nothing before the signature is checked, or it may
   * turn out to be too large, which is the better thing to say about a large file that is no audio.
   */
  function mustBeReadWhole(reason: unknown): boolean {
    const mayBeTooLarge = !(options.contentLength !== undefined && options.contentLength <= maxFileBytes);
    const isNoAudio = hasCode(reason, 'invalid_file_format');
    return options.lease.signed || (isNoAudio && mayBeTooLarge);
  }

  function refuseUnlessRewindable(asked: RecognitionRequest, wanted: RecognitionRequest): void {
    if (tape.rewindable()) return;
    if (tape.overflow() === 'others') throw new ServiceError('overloaded');
    const field = differsIn(asked, wanted)!;
    const most = maxHeldBytes / 1024 / 1024;
    throw invalidValue(
      field,
      `\`${field}\` came after a file of more than ${most} MB. Send it before \`file\`.`,
    );
  }
}

/** The first field in which recognition as it was started is not what is wanted. Words that nobody wants do no harm. */
function differsIn(started: RecognitionRequest, wanted: RecognitionRequest): string | undefined {
  if (started.language !== wanted.language) return 'language';
  if (started.prompt !== wanted.prompt) return 'prompt';
  if (started.temperature !== wanted.temperature) return 'temperature';
  if (started.hotwords.join('\n') !== wanted.hotwords.join('\n')) return 'hotwords';
  if (Boolean(started.speakers) !== Boolean(wanted.speakers)) return 'speaker_diarization';
  if (started.speakers?.count !== wanted.speakers?.count) return 'num_speakers';
  return wanted.words && !started.words ? 'timestamp_granularities[]' : undefined;
}
