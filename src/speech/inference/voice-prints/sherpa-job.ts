import { createRequire } from 'node:module';
import { joinSamples } from '../../../audio/audio-block.ts';
import { pcmSampleRate } from '../../../audio/pcm.ts';
import type { JobRunner } from '../../../pool/process/job-runner.ts';
import type { SherpaSettings } from '../../speakers/sherpa-files.ts';
import type { SpeakerWindow, VoicePrint } from '../../speakers/speaker-model.ts';

/** What is used of the package, which has no types of its own. */
type Sherpa = {
  OfflineSpeakerDiarization: new (config: object) => { process(samples: Float32Array): Turn[] };
  SpeakerEmbeddingExtractor: new (config: object) => Extractor;
};
type Turn = { start: number; end: number; speaker: number };
type Extractor = {
  createStream(): {
    acceptWaveform(wave: { sampleRate: number; samples: Float32Array }): void;
    inputFinished(): void;
  };
  isReady(stream: object): boolean;
  compute(stream: object, externalBuffer: boolean): Float32Array;
};

/** Less than this of a voice says nothing about it. */
const leastSeconds = 0.3;

/** Loaded in a separate process, which uses the onnxruntime of sherpa-onnx and not that of Siann. */
export async function createJobRunner({
  files,
  threads,
}: SherpaSettings): Promise<JobRunner<SpeakerWindow, VoicePrint[]>> {
  const sherpa = requireSherpa();
  const embedding = { model: files.embedding, numThreads: threads };
  const diarization = new sherpa.OfflineSpeakerDiarization({
    segmentation: { pyannote: { model: files.segmentation }, numThreads: threads },
    embedding,
    clustering: { numClusters: -1, threshold: 0.5 },
    minDurationOn: 0.2,
    minDurationOff: 0.3,
  });
  const extractor = new sherpa.SpeakerEmbeddingExtractor(embedding);
  return { run: async ({ audio }) => takePrints(diarization.process(audio), audio, extractor) };
}

/** One print for each turn, from everything that its speaker says in the window. */
function takePrints(turns: Turn[], audio: Float32Array, extractor: Extractor): VoicePrint[] {
  const embeddings = new Map<number, Float32Array | undefined>();
  for (const { speaker } of turns) {
    if (embeddings.has(speaker)) continue;
    const spoken = turns.filter((turn) => turn.speaker === speaker).map((turn) => cut(audio, turn));
    embeddings.set(speaker, embeddingOf(joinSamples(spoken), extractor));
  }
  return turns.flatMap(({ start, end, speaker }) => {
    const embedding = embeddings.get(speaker);
    return embedding ? [{ startSeconds: start, endSeconds: end, embedding }] : [];
  });
}

function embeddingOf(samples: Float32Array, extractor: Extractor): Float32Array | undefined {
  if (samples.length < leastSeconds * pcmSampleRate) return undefined;
  const stream = extractor.createStream();
  stream.acceptWaveform({ sampleRate: pcmSampleRate, samples });
  stream.inputFinished();
  if (!extractor.isReady(stream)) return undefined;
  const embedding = extractor.compute(stream, false);
  const length = Math.hypot(...embedding);
  return length > 0 ? embedding.map((value) => value / length) : undefined;
}

function cut(audio: Float32Array, { start, end }: Turn): Float32Array {
  return audio.subarray(Math.round(start * pcmSampleRate), Math.round(end * pcmSampleRate));
}

function requireSherpa(): Sherpa {
  try {
    return createRequire(import.meta.url)('sherpa-onnx-node');
  } catch (cause) {
    const message = 'SIANN_SPEAKER_MODEL needs the package sherpa-onnx-node: npm install sherpa-onnx-node.';
    throw new Error(message, { cause });
  }
}
