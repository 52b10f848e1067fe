import { randomUUID } from 'node:crypto';
import type { Pcm } from '../../src/audio/pcm.ts';
import { createRecordingSpeakers } from '../../src/speech/speakers/recording-speakers.ts';
import type { SpeakerModel } from '../../src/speech/speakers/speaker-model.ts';
import type { SpeakerTurn } from '../../src/speech/speakers/who-spoke.ts';
import type { VoiceActivity } from '../../src/speech/windows/voice/voice-activity.ts';
import { packWindows } from '../../src/speech/windows/windows.ts';

export type SpeakerParts = { voice: VoiceActivity; speakerModel: SpeakerModel };

/** The stages of a transcription that tell speakers apart, without recognition. */
export async function findTurns(
  audio: AsyncIterable<Pcm>,
  { voice, speakerModel }: SpeakerParts,
  onWindow?: (seconds: number) => void,
): Promise<SpeakerTurn[]> {
  const speakers = createRecordingSpeakers(speakerModel);
  const requestId = randomUUID();
  for await (const window of packWindows(audio, voice)) {
    await speakers.add(window, { requestId, priority: 'file' });
    onWindow?.(window.pieces.at(-1)!.startSeconds);
  }
  return speakers.turns();
}
