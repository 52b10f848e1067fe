import { sampleRate } from '../../evaluation/decoded-audio.ts';
import { streamWave } from '../../evaluation/wave-file.ts';
import type { Recogniser } from '../../src/speech/recogniser.ts';
import type { Explain, Figure } from '../figure.ts';
import { soundBlocks, sounds } from './sounds.ts';

type NoiseOptions = { open: () => Promise<Recogniser>; minutes: number; explain: Explain };

/** What is written down when nobody speaks. */
export async function measureNoise({ open, minutes, explain }: NoiseOptions): Promise<Figure[]> {
  await using recogniser = await open();
  const seconds = Math.round(minutes * 60);
  const figures: Figure[] = [];
  for (const sound of sounds) {
    const bytes = streamWave(soundBlocks(sound, seconds), seconds * sampleRate);
    let segments = 0;
    let characters = 0;
    for await (const { text, startSeconds } of recogniser.transcribe(bytes, { language: 'mixed' })) {
      segments += 1;
      characters += text.length;
      explain(`${sound.name}, ${startSeconds.toFixed(2)} s: ${text}`);
    }
    figures.push({
      title: `noise: ${minutes} min of ${sound.name}`,
      value: `${segments} segments, ${characters} characters`,
      bar: 'no text',
      passes: segments === 0,
    });
  }
  return figures;
}
