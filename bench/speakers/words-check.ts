import { createReadStream } from 'node:fs';
import type { Recogniser } from '../../src/speech/recogniser.ts';
import { collectTranscript } from '../../src/speech/transcript/collect-transcript.ts';
import { atLeast, atMost, type Explain, type Figure } from '../figures/figure.ts';
import { median } from '../median.ts';
import type { Conversation } from './conversations.ts';
import { wordsOfRightSpeaker } from './word-speakers.ts';

type Options = { recogniser: Recogniser; conversations: readonly Conversation[]; explain: Explain };

/** In per cent. */
const wordBar = 95;
const costBar = 25;

/** Words with the right speaker in whole transcriptions, and what telling speakers apart adds to their time. */
export async function measureWords({ recogniser, conversations, explain }: Options): Promise<Figure[]> {
  const total = { right: 0, heard: 0 };
  const ratios: number[] = [];
  const run = async (file: string, speakers: boolean) => {
    const startedAt = performance.now();
    const options = { language: 'mixed', ...(speakers && { speakers: {} }) } as const;
    const transcript = await collectTranscript(
      recogniser.transcribe(createReadStream(file), options),
      'mixed',
    );
    return { transcript, seconds: (performance.now() - startedAt) / 1000 };
  };
  const known = conversations.filter(({ utterances }) => utterances.length > 0);
  // The first of everything is slow.
  if (known[0]) await run(known[0].file, true);
  for (const { name, file, utterances } of known) {
    const alone = await run(file, false);
    const { transcript, seconds } = await run(file, true);
    const { right, heard } = wordsOfRightSpeaker(utterances, transcript.segments);
    total.right += right;
    total.heard += heard;
    ratios.push(seconds / alone.seconds);
    const cost = `${alone.seconds.toFixed(1)} → ${seconds.toFixed(1)} s`;
    explain(`${name.padEnd(20)} ${right} of ${heard} words, ${transcript.numSpeakers} speakers, ${cost}`);
  }
  const share = total.right / total.heard;
  const added = median(ratios)! - 1;
  return [
    {
      id: 'words/right',
      what: 'words given to the right speaker',
      ...atLeast(wordBar, 100 * share, 1),
      unit: '%',
      part: 'selection',
    },
    {
      id: 'words/added-time',
      what: 'time added to a transcription, median',
      ...atMost(costBar, 100 * added),
      unit: '%',
    },
  ];
}
