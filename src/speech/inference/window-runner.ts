import { setImmediate } from 'node:timers/promises';
import { pcmSampleRate } from '../../audio/pcm.ts';
import type { JobRunner } from '../../pool/process/job-runner.ts';
import type { ArrivedWindow, WindowJob, WindowResult } from '../windows/window-messages.ts';
import { isMoreUrgent, mostUrgent, type Urgency } from '../windows/window-urgency.ts';
import { DecodingBatch } from './decoding-batch.ts';
import { type ContextFrames, contextFeatures, fullContext, shortContext } from './features/context-frames.ts';
import type { EncodedWindow } from './network/whisper-encoder.ts';
import type { WhisperNetwork } from './network/whisper-network.ts';
import { withLead, withoutLead } from './window-lead.ts';
import type { WindowRequest } from './window-request.ts';

/** A window that is tried again gets this many steps before another window is begun, which takes about as long. */
const stepsPerBegin = 20;

/**
 * Decides which window is begun, and when those that are being decoded make their next step. The more urgent window goes first, even
 * between the parts of another one's encoding.
 */
export class WindowRunner implements JobRunner<ArrivedWindow, WindowResult> {
  readonly #network: WhisperNetwork;
  readonly #waiting: WindowRequest[] = [];
  readonly #batch: DecodingBatch;
  #running = false;
  /** Windows that are being encoded, and will need a row of the decoder. */
  #encoding = 0;
  #stepsSinceBegin = 0;

  constructor(network: WhisperNetwork) {
    this.#network = network;
    this.#batch = new DecodingBatch(network, (request) => this.#waiting.unshift(request));
  }

  run(job: ArrivedWindow, signal: AbortSignal): Promise<WindowResult> {
    return new Promise<WindowResult>((resolve, reject) => {
      const led = withLead(job);
      const context = this.#contextOf(led);
      this.#waiting.push({ job: led, context, isRetry: false, signal, resolve, reject });
      if (!this.#running) void this.#work();
    }).then(withoutLead);
  }

  async #work(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0 || this.#batch.windows.length > 0) await this.#advance();
    this.#running = false;
  }

  async #workOnMoreUrgent(than: Urgency): Promise<void> {
    const isAbove = ({ job }: WindowRequest) => isMoreUrgent(job.urgency, than);
    while (this.#batch.windows.some(isAbove) || (this.#waiting.some(isAbove) && this.#hasFreeRow()))
      await this.#advance();
  }

  /** Between any two runs of a graph, messages are let in: a cancelled window leaves, a new one joins. */
  async #advance(): Promise<void> {
    await setImmediate();
    let request: WindowRequest | undefined;
    try {
      this.#dropCancelled();
      request = this.#takeNext();
      if (request) await this.#begin(request);
      else if (this.#batch.windows.length > 0) await this.#step();
    } catch (error) {
      request?.reject(error);
      this.#batch.fail(error);
    }
  }

  /**
   * The window to begin now. While a more urgent window is being decoded, others wait, since to begin one takes as long as twenty
   * steps. And a window that is tried again does not have to wait for every window that comes after it.
   */
  #takeNext(): WindowRequest | undefined {
    const { windows } = this.#batch;
    if (this.#waiting.length === 0 || !this.#hasFreeRow()) return undefined;
    const urgency = highestUrgency(this.#waiting);
    if (isMoreUrgent(highestUrgency(windows), urgency)) return undefined;
    const isTriedAgain = windows.some(({ job, isRetry }) => isRetry && job.urgency === urgency);
    if (isTriedAgain && this.#stepsSinceBegin < stepsPerBegin) return undefined;
    this.#stepsSinceBegin = 0;
    const next = this.#waiting.findIndex(({ job }) => job.urgency === urgency);
    return this.#waiting.splice(next, 1)[0];
  }

  #hasFreeRow(): boolean {
    return this.#batch.windows.length + this.#encoding < this.#network.decoder.capacity;
  }

  #dropCancelled(): void {
    for (let index = this.#waiting.length - 1; index >= 0; index--) {
      const { signal, reject } = this.#waiting[index]!;
      if (!signal.aborted) continue;
      this.#waiting.splice(index, 1);
      reject(signal.reason);
    }
    this.#batch.dropCancelled();
  }

  async #begin(request: WindowRequest): Promise<void> {
    const encoded = await this.#encode(request);
    if (encoded) await this.#batch.add(request, encoded);
    else request.reject(request.signal.reason);
  }

  #contextOf({ audio, context }: WindowJob): ContextFrames {
    const canBeShort = this.#network.adapted && context === 'short';
    return canBeShort ? shortContext(audio.length / pcmSampleRate) : fullContext;
  }

  async #encode({ job, context, signal }: WindowRequest): Promise<EncodedWindow | undefined> {
    const { encoder, logMel } = this.#network;
    const mayContinue = async () => {
      await this.#workOnMoreUrgent(job.urgency);
      await setImmediate();
      return !signal.aborted;
    };
    this.#encoding++;
    try {
      return await encoder.encode(contextFeatures(logMel, job.audio, context), context, mayContinue);
    } finally {
      this.#encoding--;
    }
  }

  async #step(): Promise<void> {
    this.#stepsSinceBegin++;
    await this.#batch.step();
  }
}

function highestUrgency(requests: readonly WindowRequest[]): Urgency {
  return mostUrgent(requests.map(({ job }) => job.urgency));
}
