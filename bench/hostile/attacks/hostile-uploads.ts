import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../service/client.ts';
import { type Attack, dial, repeat, type Target } from '../attack.ts';
import { oggOfLinks, wavOfRate } from '../hostile-files.ts';

const manyLinks = oggOfLinks(2_000);
const rates = [767_999, 383_993, 191_999, 176_399, 95_989, 47_999];
const longText = '聲音'.repeat(10_000);

export const hostileUploads: Attack[] = [
  uploads('wave files of odd rates', (round) => ({ file: wavOfRate(rates[round % rates.length]!) })),
  uploads('an Ogg file of 2,000 links', () => ({ file: manyLinks })),
  uploads('a prompt of 60 KB', () => ({ file: wavOfRate(16_000), fields: { prompt: longText } })),
  uploads('hotwords of 60 KB', () => ({
    file: wavOfRate(16_000),
    fields: { hotwords: Array.from({ length: 64 }, (_, i) => `${i}${longText.slice(0, 300)}`).join(',') },
  })),
  {
    title: 'answers that nobody reads',
    run: (target, until) => repeat(8, until, () => readNothing(target, until)),
  },
];

type Upload = { file: Uint8Array; fields?: Record<string, string> };

function uploads(title: string, create: (round: number) => Upload): Attack {
  return {
    title,
    async run(target, until) {
      using client = createClient(target);
      return await repeat(4, until, (round) => {
        const { file, fields } = create(round);
        return client.transcribe(file, target.key, fields, until);
      });
    },
  };
}

async function readNothing(target: Target, until: AbortSignal): Promise<void> {
  const socket = await dial(target);
  const request = [
    'GET /v1/openapi.json HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${target.key}`,
    '',
    '',
  ].join('\r\n');
  socket.pause();
  socket.write(request.repeat(200));
  while (!socket.destroyed && !until.aborted) await sleep(20);
  socket.destroy();
}
