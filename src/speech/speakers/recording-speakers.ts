import type { RunOptions } from '../../pool/dispatcher.ts';
import { type SpeechWindow, type SpokenStretch, toRecordingTime } from '../windows/speech-window.ts';
import type { SpeakerModel, VoicePrint } from './speaker-model.ts';
import { groupRuns, groupVoices } from './voice-groups.ts';
import { type SpeakerTurn, whoSpoke } from './who-spoke.ts';

/** The voices of one recording, collected window by window. They take half a kilobyte of memory for each half second. */
export type RecordingSpeakers = {
  /** Windows may come in any order, several at once. Resolves to whether the window seems to hold more than one voice. */
  add(window: SpeechWindow, options: RunOptions): Promise<{ severalVoices: boolean }>;
  /** Who spoke when, once every window has been added. */
  turns(): Promise<SpeakerTurn[]>;
};

type WindowVoices = { prints: VoicePrint[]; speech: SpokenStretch[] };

/** Voices of one window count as several even when they are this much more alike than two speakers: then words are needed for cutting. */
const doubt = 0.05;

export function createRecordingSpeakers(model: SpeakerModel, numSpeakers?: number): RecordingSpeakers {
  const windows: WindowVoices[] = [];
  const { sameSpeakerLikeness } = model;

  return {
    async add(window, options) {
      const prints = await model.embed(window, options);
      windows[window.index] = {
        prints: prints.map((print) => ({ ...print, ...inRecording(window, print) })),
        speech: window.speech.map((stretch) => inRecording(window, stretch)),
      };
      const likeness = sameSpeakerLikeness + doubt;
      const groups = await groupVoices(groupRuns(prints, likeness), { required: likeness });
      return { severalVoices: groups.length > 1 };
    },
    async turns() {
      const prints = windows.flatMap((each) => each.prints);
      const speech = windows.flatMap((each) => each.speech);
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
