import { pcmSampleRate } from '../audio/pcm.ts';
import { shiftRecognised, shiftTimes } from './shift-times.ts';
import type { WindowJob, WindowResult } from './window-messages.ts';

/** Whisper misses or mistakes a first word that comes without a moment of silence before it. */
const leadSeconds = 0.4;

export function withLead(job: WindowJob): WindowJob {
  const audio = new Float32Array(job.audio.length + leadSeconds * pcmSampleRate);
  audio.set(job.audio, leadSeconds * pcmSampleRate);
  return { ...job, audio, speech: job.speech.map((stretch) => shiftTimes(stretch, leadSeconds)) };
}

export function withoutLead(result: WindowResult): WindowResult {
  if ('languages' in result) {
    return { languages: result.languages.map((run) => shiftTimes(run, -leadSeconds)) };
  }
  return { recognised: shiftRecognised(result.recognised, -leadSeconds) };
}
