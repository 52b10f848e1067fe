/** Runs on the browser's audio thread, and passes the sound of the microphone on as 16-bit samples. */
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: unknown): void;

const blockSamples = 1024;

class Recorder extends AudioWorkletProcessor {
  #block = new Int16Array(blockSamples);
  #filled = 0;

  process([input]: Float32Array[][]): boolean {
    for (const sample of input?.[0] ?? []) {
      this.#block[this.#filled++] = Math.max(-1, Math.min(1, sample)) * 32767;
      if (this.#filled < blockSamples) continue;
      this.port.postMessage(this.#block.buffer, [this.#block.buffer]);
      this.#block = new Int16Array(blockSamples);
      this.#filled = 0;
    }
    return true;
  }
}

registerProcessor('recorder', Recorder);
