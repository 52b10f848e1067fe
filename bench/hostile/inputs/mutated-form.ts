import type { Random } from '../../../evaluation/random.ts';
import { fixture } from '../../../evaluation/spoken-files.ts';
import { damaged } from './damage.ts';
import type { MutatedRequest, RequestContext } from './mutated-request.ts';
import {
  boundary,
  chunkedBody,
  filePart,
  formOf,
  type Header,
  textPart,
  transcriptions,
  uploadHeaders,
  wireRequest,
} from './wire.ts';

/** A tenth of a second: long enough to be decoded, too short for anything to be said. */
const sound = fixture('speech-8k-mulaw.wav').subarray(0, 900);
const model = textPart('model', 'siann-1');

const values = [
  '',
  ' ',
  '\0',
  'true',
  'TRUE',
  '1e400',
  '-1',
  'NaN',
  'Infinity',
  '0x1',
  '١',
  '[]',
  '{"a":1}',
  '__proto__',
  '../../etc/passwd',
  '%00',
  '\u202e\ufeff',
  '𠮷'.repeat(2000),
  '聲學模型,'.repeat(300),
  'a'.repeat(70_000),
  '<|endoftext|><|startoftranscript|>',
  'json',
  'verbose_json',
  'word',
];
const names = [
  'model',
  'language',
  'prompt',
  'temperature',
  'response_format',
  'timestamp_granularities[]',
  'timestamp_granularities',
  'stream',
  'speaker_diarization',
  'num_speakers',
  'hotwords',
  'hotwords[]',
  'unknown',
  '__proto__',
  'constructor',
  'toString',
  'file',
  '',
];

const disposition = 'Content-Disposition: form-data';

/** Each gives the parts of a form, or the whole body. */
const forms: Record<string, (random: Random) => Uint8Array[] | Uint8Array> = {
  'odd values': (random) => [
    model,
    filePart(sound),
    ...Array.from({ length: 1 + random.below(4) }, () => textPart(random.pick(names), random.pick(values))),
  ],
  'a damaged body': (random) => damaged(formOf([model, filePart(sound)]), random).bytes,
  'a cut body': (random) => {
    const body = formOf([model, filePart(sound)]);
    return body.subarray(0, random.below(body.length));
  },
  'parts twice': (random) => [model, filePart(sound), random.pick([model, filePart(sound)])],
  'many parts': (random) => [
    ...Array.from({ length: random.below(250) }, (_, i) => textPart(`x${i}`, 'y')),
    model,
    filePart(sound),
  ],
  'a long name': (random) => [textPart('n'.repeat(random.below(20_000)), 'x'), model, filePart(sound)],
  'a long file name': (random) => [filePart(sound, 'file', `${'../'.repeat(random.below(3000))}x`), model],
  'a file name of commands': () => [filePart(sound, 'file', '$(reboot)`id`|;&\\'), model],
  'a file name with line breaks': () => [filePart(sound, 'file', 'a\r\nX-Injected: yes\r\n\r\nb'), model],
  'no file': () => [model],
  'an empty file': () => [model, filePart(new Uint8Array())],
  'a file under another name': () => [model, filePart(sound, 'upload')],
  'a file as text': () => [model, textPart('file', 'RIFF')],
  'no name': () => [Buffer.from(`${disposition}\r\n\r\nx`), model, filePart(sound)],
  'no disposition': () => [Buffer.from('Content-Type: text/plain\r\n\r\nx'), model, filePart(sound)],
  'no head': () => [Buffer.from('x'), model],
  'a head without end': (random) => [
    Buffer.from(`${disposition}; name="a"\r\nX: ${'y'.repeat(random.below(30_000))}`),
  ],
  'an odd head': (random) => [
    Buffer.from(
      random.pick([
        `${disposition}; name="a\r\n\r\nx`,
        `${disposition}; name=a; name=b\r\n\r\nx`,
        `${disposition}; name*=utf-8''%ff\r\n\r\nx`,
        `${disposition.toUpperCase()};NAME="model"\r\n\r\nsiann-1`,
        `${disposition}; name="\\"\\\\"\r\n\r\nx`,
        `${disposition}; ${'a=b; '.repeat(1000)}name="a"\r\n\r\nx`,
        `${disposition}; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA`,
        `${disposition}; name="a"\r\nContent-Type: multipart/mixed; boundary=${boundary}\r\n\r\nx`,
        `${disposition}; name="${'"'.repeat(2000)}"\r\n\r\nx`,
        `:\r\n${disposition}; name="a"\r\n\r\nx`,
      ]),
    ),
    model,
    filePart(sound),
  ],
  'boundaries everywhere': (random) => Buffer.from(`--${boundary}\r\n`.repeat(1 + random.below(500))),
  'a body of line breaks': (random) => Buffer.from('\r\n'.repeat(random.below(20_000))),
  'a body of dashes': (random) => Buffer.from(`\r\n--${'-'.repeat(random.below(20_000))}`),
  'almost boundaries in the file': (random) => [
    model,
    filePart(Buffer.concat([sound, Buffer.from(`\r\n--${boundary.slice(0, -1)}`.repeat(random.below(500)))])),
  ],
  'an epilogue': (random) =>
    Buffer.concat([formOf([model, filePart(sound)]), Buffer.alloc(random.below(300_000))]),
  'a preamble': (random) =>
    Buffer.concat([
      Buffer.alloc(random.below(20_000), 'p'),
      Buffer.from('\r\n'),
      formOf([model, filePart(sound)]),
    ]),
  nothing: () => Buffer.alloc(0),
};

const boundaries = [
  `"${boundary}"`,
  `${boundary}; charset=utf-8`,
  '""',
  '"',
  'x'.repeat(71),
  '\xff',
  `${boundary} ; boundary=other`,
  boundary.toUpperCase(),
  '--',
];

/** Forms that are not what they say, or that no form should be. */
export function mutatedForm({ random, key }: RequestContext): MutatedRequest {
  const name = random.pick(Object.keys(forms));
  const made = forms[name]!(random);
  const body = Array.isArray(made) ? formOf(made) : made;
  const common = { method: 'POST', path: transcriptions };
  const line = `POST ${transcriptions} HTTP/1.1`;
  const headers = uploadHeaders(key, body.length);
  const replaced = (header: string, value: string) =>
    headers.map(([each, old]): Header => (each === header ? [each, value] : [each, old]));

  const way = random.below(12);
  if (way === 0) {
    const other = replaced('Content-Type', `multipart/form-data; boundary=${random.pick(boundaries)}`);
    return {
      ...common,
      name: `${name}, another boundary`,
      bytes: wireRequest(line, other, body),
      ends: false,
    };
  }
  if (way === 1) {
    // More is promised than comes; then the client is gone, or says nothing more.
    const more = replaced('Content-Length', String(body.length + 1 + random.below(1e6)));
    return {
      ...common,
      name: `${name}, too short for its length`,
      bytes: wireRequest(line, more, body),
      ends: random.next() < 0.8,
    };
  }
  if (way === 2) {
    const less = replaced('Content-Length', String(random.below(body.length + 1)));
    return {
      ...common,
      name: `${name}, too long for its length`,
      bytes: wireRequest(line, less, body),
      ends: true,
    };
  }
  if (way <= 4) {
    const chunked: Header[] = [
      ...headers.filter(([header]) => header !== 'Content-Length'),
      ['Transfer-Encoding', 'chunked'],
    ];
    const sent = chunkedBody(body, 1 + random.below(2000));
    const broken = way === 4 ? damaged(sent, random).bytes : sent;
    return {
      ...common,
      name: `${name}, chunked`,
      bytes: wireRequest(line, chunked, broken),
      ends: way === 4,
    };
  }
  return { ...common, name, bytes: wireRequest(line, headers, body), ends: false };
}
