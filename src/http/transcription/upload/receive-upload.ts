import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { requestOptions } from '../../../../wire/request-options.ts';
import type { Lease } from '../../../accounts/admission.ts';
import { hasCode, ServiceError } from '../../../errors/service-error.ts';
import {
  checkCombination,
  type DecidedFileOptions,
  decideFileOptions,
  optionThatStartsOver,
} from '../../../options/file-options.ts';
import { namesOf } from '../../../options/option-names.ts';
import { invalidValue } from '../../../options/option-value.ts';
import { readOptions, requireOptions } from '../../../options/read-options.ts';
import type { RecognitionRun } from '../recognition-run.ts';
import { createFormReader } from './form-reader.ts';
import type { UploadBuffer } from './upload-buffer.ts';
import { maxFileBytes, maxHeldBytes } from './upload-limits.ts';

type ReceiveOptions = {
  chunks: AsyncIterable<Uint8Array>;
  boundary: string;
  contentLength: number | undefined;
  /** The format when the form names none. */
  defaultFormat: DecidedFileOptions['responseFormat'];
  lease: Pick<Lease, 'signed' | 'verifyBody'>;
  buffer: UploadBuffer;
  start(bytes: AsyncIterable<Uint8Array>, options: DecidedFileOptions): RecognitionRun;
};

const fieldNames: ReadonlySet<string> = new Set(namesOf(requestOptions, 'file').keys());

/**
 * Recognition starts this long after the first byte of the file. A form that ends earlier is read whole before it starts, so that
 * no late field makes it start over.
 */
const startDelayMs = 200;

/**
 * Reads a form to its end while its file is already being recognised, with the options that have come so far. When a field
 * after the file changes them, recognition starts over from the bytes that are held for this (docs/decisions/015).
 */
export async function receiveUpload(
  upload: ReceiveOptions,
): Promise<{ options: DecidedFileOptions; run: RecognitionRun }> {
  const { buffer, start } = upload;
  const form = createFormReader({
    boundary: upload.boundary,
    known: fieldNames,
    onFile: buffer.append,
    onFileEnd: buffer.end,
  });
  let whole = false;
  const received = receive();
  received.catch(() => {});

  let run: RecognitionRun | undefined;
  const delayed = buffer.begun.then(() => delay(startDelayMs, 'over' as const, { ref: false }));
  if ((await Promise.race([received, delayed])) === 'over') {
    run = start(buffer.read(), withLikelyWords(readFields()));
    await receivedOrFailed(run);
  }
  const options = readFields();
  requireOptions(form.fields, 'file');
  checkCombination(options);
  const late = run && optionThatStartsOver(run.options, options);
  if (run && late !== undefined) {
    refuseUnlessRewindable(late);
    run.cancel();
    run = undefined;
  }
  run ??= start(buffer.read(), options);
  buffer.stopHolding();
  return { options, run };

  /** The options in the fields that have come so far. */
  function readFields(): DecidedFileOptions {
    return decideFileOptions(readOptions(form.fields, 'file'), upload.defaultFormat);
  }

  async function receive(): Promise<void> {
    const hash = upload.lease.signed ? createHash('sha256') : undefined;
    for await (const chunk of upload.chunks) {
      hash?.update(chunk);
      form.push(chunk);
      await buffer.drained();
    }
    whole = true;
    if (hash) await upload.lease.verifyBody(hash.digest('hex'));
    form.end();
  }

  /** Adds word times if a late field may ask for them and the file may be too long to be held for starting over. */
  function withLikelyWords(options: DecidedFileOptions): DecidedFileOptions {
    const heldWhole = upload.contentLength !== undefined && upload.contentLength <= maxHeldBytes;
    const formatKnown = form.fields.has('response_format') && options.responseFormat !== 'verbose_json';
    if (heldWhole || formatKnown) return options;
    return { ...options, timestampGranularities: [...options.timestampGranularities, 'word'] };
  }

  async function receivedOrFailed({ ended }: RecognitionRun): Promise<void> {
    let failure: { reason: unknown } | undefined;
    const failed = new Promise<never>((_, reject) => {
      ended.catch((reason) => {
        if (whole) return;
        failure = { reason };
        // Nobody reads the file any more, and the rest of the body must not wait for a reader.
        buffer[Symbol.dispose]();
        if (!mustBeReadWhole(reason)) reject(reason);
      });
    });
    await Promise.race([received, failed]);
    if (failure) throw failure.reason;
  }

  /**
   * An error of the file is answered at once, with two exceptions: a signed request gets no answer before its signature is
   * checked; and data that is no audio may also turn out to be too large, which is the better answer.
   */
  function mustBeReadWhole(reason: unknown): boolean {
    const mayBeTooLarge = !(upload.contentLength !== undefined && upload.contentLength <= maxFileBytes);
    const isNoAudio = hasCode(reason, 'invalid_file_format');
    return upload.lease.signed || (isNoAudio && mayBeTooLarge);
  }

  function refuseUnlessRewindable(field: string): void {
    if (buffer.rewindable()) return;
    if (buffer.overflow() === 'others') throw new ServiceError('overloaded');
    const most = maxHeldBytes / 1024 / 1024;
    throw invalidValue(
      field,
      `\`${field}\` came after a file of more than ${most} MB. Send it before \`file\`.`,
    );
  }
}
