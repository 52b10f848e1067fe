import { Tensor } from 'onnxruntime-node';
import { joinSamples } from '../../../audio/audio-block.ts';
import type { Pcm } from '../../../audio/pcm.ts';
import { type Graph, openGraph } from '../../../model/onnx/graph-session.ts';

/** How likely it is that somebody speaks, for each frame of a recording. */
export interface VoiceActivity extends AsyncDisposable {
  /** A detector for one recording. */
  open(): VoiceActivityStream;
}

export interface VoiceActivityStream {
  /** The probabilities of the frames that these samples complete. */
  push(samples: Pcm): Promise<Float32Array>;
  /** The last, partial frame, filled up with silence. */
  end(): Promise<Float32Array>;
}

/** A stretch of a recording, and how likely it is that somebody speaks in each of its frames. */
export type HeardBlock = { samples: Pcm; probabilities: Float32Array };

export const voiceFrameSamples = 512;

const contextSamples = 64;
const rowSamples = contextSamples + voiceFrameSamples;
/** One call blocks the event loop: two seconds of audio are a few milliseconds. */
const maxFramesPerCall = 64;

/** Opens the graph that `buildVoiceActivityGraph` made. */
export async function createVoiceActivity({ graphPath }: { graphPath: string }): Promise<VoiceActivity> {
  const graph = await openGraph(graphPath, { threads: 1 });
  return {
    open: () => new GraphStream(graph),
    [Symbol.asyncDispose]: () => graph.release(),
  };
}

/** The probabilities of a block's frames. One whose last frame is not whole is the last of its recording. */
export async function hearBlock(stream: VoiceActivityStream, samples: Pcm): Promise<Float32Array> {
  const probabilities = await stream.push(samples);
  return samples.length % voiceFrameSamples > 0
    ? joinSamples([probabilities, await stream.end()])
    : probabilities;
}

class GraphStream implements VoiceActivityStream {
  readonly #graph: Graph;
  #state: Tensor = new Tensor('float32', new Float32Array(256), [2, 1, 128]);
  /** The context of the next frame and what has come of the frame itself. */
  #row = new Float32Array(rowSamples);
  #filled = contextSamples;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  async push(samples: Pcm): Promise<Float32Array> {
    const frames = Math.floor((this.#filled - contextSamples + samples.length) / voiceFrameSamples);
    const probabilities = new Float32Array(frames);
    let taken = 0;
    for (let done = 0; done < frames; ) {
      const count = Math.min(frames - done, maxFramesPerCall);
      const rows = new Float32Array(count * rowSamples);
      for (let i = 0; i < count; i++) {
        const missing = rowSamples - this.#filled;
        this.#row.set(samples.subarray(taken, taken + missing), this.#filled);
        taken += missing;
        rows.set(this.#row, i * rowSamples);
        this.#row.copyWithin(0, voiceFrameSamples);
        this.#filled = contextSamples;
      }
      probabilities.set(await this.#detect(rows, count), done);
      done += count;
    }
    this.#row.set(samples.subarray(taken), this.#filled);
    this.#filled += samples.length - taken;
    return probabilities;
  }

  async end(): Promise<Float32Array> {
    if (this.#filled === contextSamples) return new Float32Array(0);
    return this.push(new Float32Array(rowSamples - this.#filled));
  }

  async #detect(rows: Float32Array, count: number): Promise<Float32Array> {
    const frames = new Tensor('float32', rows, [count, rowSamples]);
    const { probabilities, nextState } = await this.#graph.run({ frames, state: this.#state });
    this.#state = nextState as Tensor;
    return probabilities!.data as Float32Array;
  }
}
