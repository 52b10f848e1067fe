import { sampleRate } from '../../evaluation/decoded-audio.ts';
import { streamWave } from '../../evaluation/wave-file.ts';
import type { Recogniser } from '../../src/speech/recogniser.ts';
import { type Explain, type Figure, none } from '../figures/figure.ts';
import { soundBlocks, sounds } from './sounds.ts';

type NoiseOptions = { open: () => Promise<Recogniser>; minutes: number; explain: Explain };

/** What is written down when nobody speaks. */
export async function measureNoise({ open, minutes, explain }: NoiseOptions): Promise<Figure[]> {
  await using recogniser = await open();
  const seconds = Math.round(minutes * 60);
  const figures: Figure[] = [];
  for (const sound of sounds) {
    const bytes = streamWave(soundBlocks(sound, seconds), seconds * sampleRate);
    let characters = 0;
    for await (const { text, startSeconds } of recogniser.transcribe(bytes, { language: 'mixed' })) {
      characters += text.length;
      explain(`${sound.name}, ${startSeconds.toFixed(2)} s: ${text}`);
    }
    figures.push({
      id: `noise/${sound.name}`,
      what: `text written for ${minutes} min: ${sound.name}`,
      ...none(characters),
      unit: 'characters',
    });
  }
  return figures;
}
