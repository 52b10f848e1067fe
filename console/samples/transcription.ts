import type { Language } from '../../client/siann.ts';
import type { Samples } from '../parts/samples.tsx';

export type TranscriptionChoice = { language: Language; speakers: boolean };

export function transcriptionSamples(base: string, { language, speakers }: TranscriptionChoice): Samples {
  const form = [
    '-F model=siann-1',
    ...(language === 'mixed' ? [] : [`-F language=${language}`]),
    ...(speakers ? ['-F speaker_diarization=true'] : []),
    '-F file=@talk.mp3',
  ];
  const options = [
    ...(language === 'mixed' ? [] : [`language: '${language}'`]),
    ...(speakers ? ['speakerDiarization: true'] : []),
  ];
  const extra = [
    ...(language === 'mixed' ? [] : [`"language": "${language}"`]),
    ...(speakers ? ['"speaker_diarization": True'] : []),
  ];
  return {
    curl: [`curl ${base}/audio/transcriptions`, '-H "Authorization: Bearer $SIANN_KEY"', ...form].join(
      ' \\\n  ',
    ),
    TypeScript: `import { openAsBlob } from 'node:fs';
import { Siann } from 'siann/client';

const siann = new Siann({ apiKey: process.env.SIANN_KEY!, baseUrl: '${base}' });
const file = await openAsBlob('talk.mp3');
for await (const { start, text } of siann.transcribe(file${options.length ? `, { ${options.join(', ')} }` : ''})) {
  console.log(start, text);
}`,
    Python: `import os
from openai import OpenAI

client = OpenAI(base_url="${base}", api_key=os.environ["SIANN_KEY"])
with open("talk.mp3", "rb") as file:
    result = client.audio.transcriptions.create(
        model="siann-1", file=file,${extra.length ? ` extra_body={${extra.join(', ')}},` : ''}
    )
print(result.text)`,
  };
}
