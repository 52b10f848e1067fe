import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AutomaticSpeechRecognitionPipeline, env, pipeline } from '@huggingface/transformers';
import { decodeAudio, sampleRate } from '../../evaluation/decoded-audio.ts';
import type { Engine, EngineOptions, StageTimes } from './engine.ts';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** transformers.js on the weights as published: full context, greedy, one 30 s window after the other. */
export async function createTransformersEngine({ model, threads }: EngineOptions): Promise<Engine> {
  env.allowRemoteModels = false;
  env.localModelPath = join(modules, `sts-whisper-${model}`, 'models');
  const recognise = await pipeline('automatic-speech-recognition', `Xenova/whisper-${model}`, {
    dtype: 'q8',
    device: 'cpu',
    session_options: { intraOpNumThreads: threads },
  });
  const stages = timeStages(recognise);

  return {
    name: 'transformers',
    async transcribe(file, { language } = {}) {
      const samples = await decodeAudio(file);
      const isLong = samples.length > 30 * sampleRate;
      Object.assign(stages, noTime);
      const started = performance.now();
      const { text } = await recognise(samples, {
        task: 'transcribe',
        ...(language && { language: language.slice(0, 2) }),
        ...(isLong && { chunk_length_s: 30, return_timestamps: true }),
      });
      return { text, seconds: (performance.now() - started) / 1000, stages: { ...stages } };
    },
    async [Symbol.asyncDispose]() {
      await recognise.dispose();
    },
  };
}

const noTime: StageTimes = { encoderSeconds: 0, encodedSeconds: 0, decoderSeconds: 0, decoderTokens: 0 };

type Session = { run(...args: unknown[]): Promise<unknown> };

/** The library reports no times of its own, so its two sessions are timed from outside. */
function timeStages(recognise: AutomaticSpeechRecognitionPipeline): StageTimes {
  const stages = { ...noTime };
  const { model: encoder, decoder_model_merged: decoder } = recognise.model.sessions as Record<
    string,
    Session
  >;
  timeRuns(encoder!, (seconds) => {
    stages.encoderSeconds += seconds;
    stages.encodedSeconds += 30;
  });
  timeRuns(decoder!, (seconds) => {
    stages.decoderSeconds += seconds;
    stages.decoderTokens += 1;
  });
  return stages;
}

function timeRuns(session: Session, add: (seconds: number) => void): void {
  const run = session.run.bind(session);
  session.run = async (...args) => {
    const started = performance.now();
    const result = await run(...args);
    add((performance.now() - started) / 1000);
    return result;
  };
}
