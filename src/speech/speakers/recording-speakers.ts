import type { RunOptions } from '../../pool/dispatcher.ts';
import { type SpeechWindow, type SpokenStretch, toRecordingTime } from '../windows/speech-window.ts';
import type { SpeakerModel, VoicePrint } from './speaker-model.ts';
import { groupRuns, groupVoices } from './voice-groups.ts';
import { type SpeakerTurn, whoSpoke } from './who-spoke.ts';

/** Listens to the voices of one recording, window by window. What it keeps is small: half a kilobyte for each half second. */
export type RecordingSpeakers = {
  /** Windows may come in any order, several at once. Says whether the window seems to hold more than one voice. */
  add(window: SpeechWindow, options: RunOptions): Promise<{ severalVoices: boolean }>;
  /** Who spoke when, once every window has been heard. */
  turns(): Promise<SpeakerTurn[]>;
};

type HeardVoices = { prints: VoicePrint[]; speech: SpokenStretch[] };

/** Within one window, voices this much more alike than two speakers still count as several: cutting needs words then. */
const doubt = 0.05;

export function listenForSpeakers(model: SpeakerModel, numSpeakers?: number): RecordingSpeakers {
  const heard: HeardVoices[] = [];
  const { sameSpeakerLikeness } = model;

  return {
    async add(window, options) {
      const prints = await model.embed(window, options);
      heard[window.index] = {
        prints: prints.map((print) => ({ ...print, ...inRecording(window, print) })),
        speech: window.speech.map((stretch) => inRecording(window, stretch)),
      };
      const likeness = sameSpeakerLikeness + doubt;
      const groups = await groupVoices(groupRuns(prints, likeness), { required: likeness });
      return { severalVoices: groups.length > 1 };
    },
    async turns() {
      const prints = heard.flatMap((each) => each.prints);
      const speech = heard.flatMap((each) => each.speech);
      return whoSpoke(prints, speech, {
        sameSpeakerLikeness,
        ...(numSpeakers !== undefined && { numSpeakers }),
      });
    },
  };
}

function inRecording(window: SpeechWindow, { startSeconds, endSeconds }: SpokenStretch): SpokenStretch {
  return {
    startSeconds: toRecordingTime(window, startSeconds),
    endSeconds: toRecordingTime(window, endSeconds),
  };
}
