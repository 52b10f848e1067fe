import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Recogniser } from '../../src/speech/recogniser.ts';
import { atMost, type Explain, type Figure } from '../figures/figure.ts';

type SoundClipsOptions = { open: () => Promise<Recogniser>; folder: string; explain: Explain };

const parts = ['selection', 'reporting'] as const;

/** Every fifth clip is one that thresholds were chosen on. */
const partOf = (place: number) => (place % 5 === 4 ? 'selection' : 'reporting');

/** How many clips of a folder, in which nobody speaks, are given a text. */
export async function measureSoundClips({ open, folder, explain }: SoundClipsOptions): Promise<Figure[]> {
  await using recogniser = await open();
  const files = (await readdir(folder)).filter((name) => /\.(wav|ogg|flac|mp3)$/.test(name)).sort();
  const written = { selection: 0, reporting: 0 };
  for (const [place, name] of files.entries()) {
    let text = '';
    const bytes = createReadStream(join(folder, name));
    for await (const segment of recogniser.transcribe(bytes, { language: 'mixed' })) text += segment.text;
    if (text === '') continue;
    explain(`${name}: ${text}`);
    written[partOf(place)]++;
  }
  return parts.map((part) => {
    const clips = files.filter((_, place) => partOf(place) === part).length;
    return {
      id: `clips/${part}`,
      what: `clips of sounds in which nobody speaks, of ${clips}: with a text`,
      ...atMost(1, (written[part] / Math.max(1, clips)) * 100, 1),
      unit: '%',
      part,
    };
  });
}
