// Prints how long this project's two graphs take by themselves: in use, their runs interleave in other processes.
import { availableParallelism } from 'node:os';
import { choose } from '../../evaluation/command-options.ts';
import { prepareModel } from '../../src/model/prepare-model.ts';
import { readWhisperShape } from '../../src/model/whisper-shape.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { fullContext, shortContext } from '../../src/speech/inference/features/context-frames.ts';
import { createWhisperDecoder } from '../../src/speech/inference/network/whisper-decoder.ts';
import { createWhisperEncoder } from '../../src/speech/inference/network/whisper-encoder.ts';
import { leadSeconds } from '../../src/speech/inference/window-lead.ts';
import { median } from '../median.ts';
import { modelSizes, type StageTimes } from './engine.ts';

/** The decoder's figures are for several windows at once, as one long recording is decoded. */
export type SiannStageTimes = StageTimes & {
  loneTokenMilliseconds: number;
  /** How much longer the encoder takes for 30 s than for five seconds of speech with the silence that the product puts around them. */
  fullAgainstShort: number;
};

const encodings = 7;
const shortEncodingsEach = 4;
const shortSeconds = 5;
const windowsAtOnce = 4;
const steps = 60;
const warmUpSteps = 5;
const anyToken = 100;

const config = loadConfig(process.env);
const { encoderPaths, decoderPath, modelFolder, integers } = await prepareModel({
  model: choose('model', modelSizes, process.argv[2] ?? config.model),
  cacheFolder: config.cacheFolder,
});
const shape = await readWhisperShape(modelFolder);
const threads = config.threads || availableParallelism();
const encoder = await createWhisperEncoder({ graphPaths: encoderPaths, shape, threads });
const decoder = await createWhisperDecoder({
  graphPath: decoderPath,
  shape,
  integers,
  threads,
  capacity: windowsAtOnce,
});

// What the audio holds does not change how long it takes.
const mel = Float32Array.from({ length: 80 * 2 * fullContext.length }, () => Math.random());
const encoded = await encoder.encode(mel, fullContext);
const context = shortContext(leadSeconds + shortSeconds);
const shortMel = mel.subarray(0, 80 * 2 * context.length);
await encoder.encode(shortMel, context);
// Alternately, so that whatever else the machine does is in both.
const fullTimes: number[] = [];
const shortTimes: number[] = [];
for (let round = 0; round < encodings; round += 1) {
  fullTimes.push(await timeRuns(1, () => encoder.encode(mel, fullContext)));
  for (let run = 0; run < shortEncodingsEach; run += 1)
    shortTimes.push(await timeRuns(1, () => encoder.encode(shortMel, context)));
}

decoder.add(encoded!);
const loneSeconds = await timeSteps();
while (decoder.count < windowsAtOnce) decoder.add(encoded!);
decoder.restart(0);
const decoderSeconds = await timeSteps();

const times: SiannStageTimes = {
  encoderSeconds: median(fullTimes)!,
  encodedSeconds: 30,
  decoderSeconds,
  decoderTokens: steps * windowsAtOnce,
  loneTokenMilliseconds: (loneSeconds / steps) * 1000,
  fullAgainstShort: median(fullTimes)! / median(shortTimes)!,
};
console.log(JSON.stringify(times));

async function timeSteps(): Promise<number> {
  const step = () => decoder.step(Array<number>(decoder.count).fill(anyToken));
  await timeRuns(warmUpSteps, step);
  return timeRuns(steps, step);
}

async function timeRuns(runs: number, run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let index = 0; index < runs; index += 1) await run();
  return (performance.now() - started) / 1000;
}
