import { type Pcm, pcmSampleRate } from '../audio/pcm.ts';
import type { SpeechStream } from '../speech/live/stream-recogniser.ts';
import type { AudioBacklog } from './audio-backlog.ts';
import type { FrameDecoder } from './frame-decoder.ts';
import type { InputQueue } from './input-queue.ts';
import type { SessionBilling } from './session-billing.ts';
import type { SessionTranscript } from './session-transcript.ts';

type Parts = {
  incoming: Pick<InputQueue, 'items'>;
  decoder: FrameDecoder;
  backlog: AudioBacklog;
  billing: SessionBilling;
  stream: SpeechStream;
  transcript: SessionTranscript;
  /** The stream shall do no more work. */
  isStopped(): boolean;
};

/** Decodes, pays for and recognises what comes in, until nothing more comes or the stream is stopped. */
export async function recogniseInputs(parts: Parts): Promise<void> {
  const { incoming, decoder, backlog, billing, stream, transcript, isStopped } = parts;
  for await (const input of incoming.items()) {
    if (isStopped()) return;
    if (input.type === 'finalize') await answerFinalize();
    else await recogniseFrame(input.bytes);
  }
  if (!isStopped()) await recognise(await decoder.end());

  async function recogniseFrame(bytes: Uint8Array): Promise<void> {
    const audio = await decoder.push(bytes);
    backlog.decoded(decoder.secondsOf(bytes.length));
    await recognise(audio);
  }

  async function recognise(audio: Pcm): Promise<void> {
    const seconds = audio.length / pcmSampleRate;
    if (seconds === 0) return;
    backlog.addDecoded(seconds);
    await billing.pay(seconds);
    await stream.push(audio);
  }

  async function answerFinalize(): Promise<void> {
    const before = transcript.finalized;
    await stream.finalize();
    await transcript.settled();
    const isAnswered = transcript.finalized > before;
    if (!isStopped() && !isAnswered) transcript.answerFinalize(billing.paidSeconds);
  }
}
