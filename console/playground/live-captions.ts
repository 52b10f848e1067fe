import { useEffect, useRef, useState } from 'preact/hooks';
import type { LiveEvent, LiveStream } from '../../client/siann.ts';
import type { Project } from '../../wire/console.ts';
import type { TranscriptionChoice } from '../samples/transcription.ts';
import { type Microphone, openMicrophone } from './microphone.ts';
import { withPlaygroundClient } from './playground-client.ts';

export type Caption = { id: number; text: string; final: boolean; speaker?: number | undefined };

type Live = {
  state: 'off' | 'connecting' | 'listening' | 'reconnecting' | 'ending';
  captions: Caption[];
  /** Loudness, 0…1. */
  level: number;
  /** How long after they were spoken the last words came. */
  behindSeconds?: number;
  problem?: 'denied' | 'missing';
  error?: unknown;
};

const off: Live = { state: 'off', captions: [], level: 0 };

/** The microphone and the stream of the page of live captions. */
export function useLiveCaptions(project: Project | undefined) {
  const [live, setLive] = useState<Live>(off);
  const open = useRef<{ microphone?: Microphone; stream?: LiveStream; controller: AbortController }>(
    undefined,
  );
  const change = (values: Partial<Live>) => setLive((before) => ({ ...before, ...values }));
  useEffect(
    () => () => {
      open.current?.microphone?.stop();
      open.current?.controller.abort();
    },
    [],
  );

  const start = async ({ language, speakers }: TranscriptionChoice) => {
    if (!project) return;
    const controller = new AbortController();
    open.current = { controller };
    setLive({ ...off, state: 'connecting' });
    let sampleRate = 16_000;
    let written = 0;
    let level = 0;
    /** What was recorded before the stream was open. */
    const early: Int16Array[] = [];
    const write = (samples: Int16Array) => {
      written += samples.length / sampleRate;
      level = Math.max(loudness(samples), level * 0.8);
      // Audio comes about sixteen times a second. The meter is updated half as often.
      if (Math.round(written * 16) % 2 === 0) change({ level });
      const { stream } = open.current ?? {};
      if (stream) void stream.write(bytesOf(samples)).catch(() => {});
      else early.push(samples);
    };

    try {
      const microphone = await openMicrophone(write).catch((error: DOMException) => {
        change({ problem: error.name === 'NotFoundError' ? 'missing' : 'denied' });
        return undefined;
      });
      if (!microphone) return change({ state: 'off' });
      open.current.microphone = microphone;
      sampleRate = microphone.sampleRate;
      await withPlaygroundClient(project.id, async (siann) => {
        const { signal } = controller;
        const stream = siann.listen({ language, sampleRate, speakerDiarization: speakers, signal });
        for (const samples of early.splice(0)) void stream.write(bytesOf(samples)).catch(() => {});
        open.current!.stream = stream;
        for await (const event of stream) setLive((before) => withEvent(before, event, written));
      });
    } catch (error) {
      if (!controller.signal.aborted) change({ error });
    } finally {
      open.current?.microphone?.stop();
      change({ state: 'off', level: 0 });
    }
  };

  /** Stops the microphone. The last words still come. */
  const stop = async () => {
    open.current?.microphone?.stop();
    change({ state: 'ending', level: 0 });
    if (open.current?.stream) open.current.stream.close();
    else open.current?.controller.abort();
  };
  return { live, start, stop };
}

function withEvent(live: Live, event: LiveEvent, writtenSeconds: number): Live {
  switch (event.type) {
    case 'session.begin':
    case 'connection.restored':
      return { ...live, state: live.state === 'ending' ? 'ending' : 'listening' };
    case 'connection.lost':
      return { ...live, state: 'reconnecting' };
    case 'transcript': {
      const { segment_id: id, text, is_final: final, speaker } = event;
      const others = live.captions.filter((caption) => caption.id !== id);
      const captions =
        text === '' ? others : [...others, { id, text, final, speaker }].sort((a, b) => a.id - b.id);
      return { ...live, captions, behindSeconds: Math.max(0, writtenSeconds - event.end) };
    }
    case 'speaker.revision': {
      const speakerOf = new Map(event.revisions.map(({ segment_id, speaker }) => [segment_id, speaker]));
      const captions = live.captions.map((caption) => ({
        ...caption,
        speaker: speakerOf.get(caption.id) ?? caption.speaker,
      }));
      return { ...live, captions };
    }
    default:
      return live;
  }
}

function bytesOf(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

function loudness(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += (sample / 32768) ** 2;
  return Math.min(1, Math.sqrt(sum / samples.length) * 4);
}
