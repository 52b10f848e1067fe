declare const RECORDER_FILE: string;

export type Microphone = { sampleRate: number; stop(): void };

/** The rate of the recogniser, which the service need not convert. */
const wantedRate = 16_000;

/** Passes on 16-bit mono samples while they are recorded. Throws a DOMException when the microphone may not be used. */
export async function openMicrophone(onSamples: (samples: Int16Array) => void): Promise<Microphone> {
  const media = await navigator.mediaDevices.getUserMedia({
    audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true },
  });
  const { context, source } = connect(media);
  await context.audioWorklet.addModule(RECORDER_FILE);
  const recorder = new AudioWorkletNode(context, 'recorder');
  recorder.port.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => onSamples(new Int16Array(data));
  source.connect(recorder);
  await context.resume();
  return {
    sampleRate: context.sampleRate,
    stop() {
      for (const track of media.getTracks()) track.stop();
      if (context.state !== 'closed') void context.close();
    },
  };
}

/** Some browsers cannot convert the rate of a microphone, so several rates are tried. */
function connect(media: MediaStream) {
  for (const options of [{ sampleRate: wantedRate }, { sampleRate: 48_000 }, undefined]) {
    const context = new AudioContext(options);
    try {
      return { context, source: context.createMediaStreamSource(media) };
    } catch {
      void context.close();
    }
  }
  throw new DOMException('No audio context takes the microphone.', 'NotReadableError');
}
