import { pcmSampleRate } from '../../audio/pcm.ts';
import { unpackedAudio } from '../../audio/samples/packed-audio.ts';
import { shiftRecognised, shiftTimes } from '../windows/shift-times.ts';
import type { ArrivedWindow, WindowJob, WindowResult } from '../windows/window-messages.ts';

/** Whisper misses or mistakes a first word that comes without a moment of silence before it. */
export const leadSeconds = 0.4;

export function withLead(job: ArrivedWindow): WindowJob {
  const samples = unpackedAudio(job.audio);
  const audio = new Float32Array(samples.length + leadSeconds * pcmSampleRate);
  audio.set(samples, leadSeconds * pcmSampleRate);
  return { ...job, audio, speech: job.speech.map((stretch) => shiftTimes(stretch, leadSeconds)) };
}

export function withoutLead(result: WindowResult): WindowResult {
  if ('languages' in result) {
    return { languages: result.languages.map((run) => shiftTimes(run, -leadSeconds)) };
  }
  return { recognised: shiftRecognised(result.recognised, -leadSeconds) };
}
