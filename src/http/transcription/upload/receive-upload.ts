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

export type ReceiveOptions = {
  chunks: AsyncIterable<Uint8Array>;
  boundary: string;
  contentLength: number | undefined;
  /** The format where none is asked for. */
  defaultFormat: DecidedFileOptions['responseFormat'];
  lease: Pick<Lease, 'signed' | 'verifyBody'>;
  buffer: UploadBuffer;
  start(bytes: AsyncIterable<Uint8Array>, options: DecidedFileOptions): RecognitionRun;
};

const fieldNames: ReadonlySet<string> = new Set(namesOf(requestOptions, 'file').keys());

/** A form that has ended by then is read whole before recognition starts, so that no late field makes it start again. */
const patienceMs = 200;

/**
 * Reads a form to its end while its file is already being recognised, with what is known of the request by then. A field that
 * comes after the file and asks for something else starts recognition over, from the bytes that are held for this:
 * docs/decisions/015.
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
  const patience = buffer.begun.then(() => delay(patienceMs, 'over' as const, { ref: false }));
  if ((await Promise.race([received, patience])) === 'over') {
    run = start(buffer.read(), foresee(readFields()));
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
  buffer.letGo();
  return { options, run };

  /** What the fields say that have come so far; more may still come. */
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

  /** A file that may be too long to be held is recognised with word times, which a late field could ask for. */
  function foresee(options: DecidedFileOptions): DecidedFileOptions {
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
        // Nobody reads the rest of the file, and the body must not wait for that.
        buffer[Symbol.dispose]();
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
