import { pcmSampleRate } from '../../src/audio/pcm.ts';
import type {
  SpeechStream,
  StreamOptions,
  StreamRecogniser,
} from '../../src/speech/live/stream-recogniser.ts';

export type ScriptedStreamsOptions = {
  /** How long it takes to listen to a second of audio. */
  secondTakesMs?: number;
};

/**
 * Takes whatever comes for speech: `word0`, `word1`… for each second, a partial with every half and a final with every
 * fourth. Where the subject is the socket, this is quicker than a model and always says the same.
 */
export function scriptedStreams({ secondTakesMs = 0 }: ScriptedStreamsOptions = {}): StreamRecogniser {
  return { open: (options) => openStream(options, secondTakesMs) };
}

const phraseSeconds = 4;

function openStream({ onEvent, interimResults }: StreamOptions, secondTakesMs: number): SpeechStream {
  let receivedSeconds = 0;
  let startSeconds = 0;
  let hasStarted = false;
  let isOver = false;
  const text = (end: number) => {
    const words = [];
    for (let second = Math.round(startSeconds); second < end; second++) words.push(`word${second}`);
    return words.join(' ');
  };
  const recognised = (end: number) => ({
    startSeconds,
    endSeconds: end,
    text: text(end),
    language: 'en' as const,
    words: [],
  });
  const final = (end: number, speechFinal: boolean, fromFinalize: boolean) => {
    onEvent({ type: 'final', speechFinal, fromFinalize, audio: new Float32Array(0), ...recognised(end) });
    startSeconds = end;
    hasStarted = false;
  };

  return {
    async push(audio) {
      const from = receivedSeconds;
      receivedSeconds += audio.length / pcmSampleRate;
      const waitMs = (receivedSeconds - from) * secondTakesMs;
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      for (let half = Math.floor(from * 2) + 1; half <= receivedSeconds * 2 && !isOver; half++) {
        if (!hasStarted) onEvent({ type: 'speech_started', atSeconds: startSeconds });
        hasStarted = true;
        if (half % (2 * phraseSeconds) === 0) final(half / 2, true, false);
        else if (interimResults) onEvent({ type: 'partial', ...recognised(half / 2) });
      }
    },
    async finalize() {
      if (!isOver && receivedSeconds > startSeconds) final(receivedSeconds, false, true);
    },
    get doneSeconds() {
      return receivedSeconds;
    },
    async abort() {
      isOver = true;
    },
  };
}
