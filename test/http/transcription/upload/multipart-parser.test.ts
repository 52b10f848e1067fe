import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createMultipartParser } from '../../../../src/http/transcription/upload/multipart-parser.ts';

type Part = { name: string; isFile: boolean; content: string };

const field = (name: string, content: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;

test('a form is parsed the same, however it is cut into pieces', () => {
  // Contents that look like delimiters are the difficult ones.
  const content = fc
    .stringMatching(/^(\r\n--|\r\n-|\r|\n|--b|b|x){0,12}$/)
    .filter((text) => !text.includes('\r\n--b'));
  const parts = fc.array(fc.record({ name: fc.constantFrom('file', 'a b', 'é'), content }), { maxLength: 4 });
  fc.assert(
    fc.property(parts, fc.array(fc.nat(400), { maxLength: 30 }), (given, cuts) => {
      const body = Buffer.from(`${given.map(({ name, content }) => field(name, content)).join('')}--b--\r\n`);
      assert.deepEqual(
        parse(body, cuts).map(({ name, content }) => ({ name, content })),
        given.map((part) => ({ ...part })),
      );
    }),
    { numRuns: 500 },
  );
});

test('a form with preamble and epilogue can be pushed byte by byte', () => {
  const body = Buffer.from(
    `to be passed over\r\n${field('model', 'siann-1')}${field('x', '')}--b--\r\nand this`,
  );
  const parts = parse(body, [...body.keys()]);
  assert.deepEqual(parts, [
    { name: 'model', isFile: false, content: 'siann-1' },
    { name: 'x', isFile: false, content: '' },
  ]);
});

test('a part is a file when it has a file name, or a type that is not text', () => {
  const head = (lines: string) => parse(Buffer.from(`--b\r\n${lines}\r\n\r\n\r\n--b--`))[0]!;
  const disposition = 'Content-Disposition: form-data; name="file"';
  assert.equal(head(disposition).isFile, false);
  assert.equal(head(`${disposition}\r\nContent-Type: text/plain; charset=utf-8`).isFile, false);
  assert.equal(head(`${disposition}\r\nContent-Type: audio/mpeg`).isFile, true);
  assert.equal(head(`${disposition}; filename="../../x.mp3"`).isFile, true);
  assert.equal(head(`${disposition}; filename*=UTF-8''%E8%81%B2.mp3`).isFile, true);
  assert.equal(head('CONTENT-DISPOSITION: Form-Data;\r\n name=file ; FileName=x').name, 'file');
  assert.equal(head('Content-Disposition: form-data; name="a\\"b; filename=c"').name, 'a"b; filename=c');
});

for (const [what, body] of Object.entries({
  nothing: '',
  'no boundary': 'model=siann-1&file=x',
  'another boundary': field('a', 'b').replaceAll('--b', '--c'),
  'no end': field('a', 'b'),
  'an end in mid-delimiter': `${field('a', 'b')}--b-`,
  'an end in a head': '--b\r\nContent-Disposition: form-da',
  'a part without a head': '--b\r\nfoo\r\n--b--\r\n',
  'an empty head': '--b\r\n\r\nfoo\r\n--b--\r\n',
  'a head without an empty line': '--b\r\nContent-Disposition: form-data; name="x"\r\n--b--\r\n',
  'no disposition': '--b\r\nContent-Type: text/plain\r\n\r\nfoo\r\n--b--\r\n',
  'another disposition': '--b\r\nContent-Disposition: attachment; name="x"\r\n\r\nfoo\r\n--b--\r\n',
  'no name': '--b\r\nContent-Disposition: form-data; filename="x"\r\n\r\nfoo\r\n--b--\r\n',
  'a name of 101 bytes': `${field('n'.repeat(101), 'x')}--b--`,
  'line feeds only': field('a', 'b').replaceAll('\r', ''),
  'bytes after a delimiter': `--bx\r\n${field('a', 'b')}--b--`,
  'a head without end': `--b\r\nX: ${'y'.repeat(9000)}`,
  'a preamble without end': 'x'.repeat(9000),
})) {
  test(`${what} is not a form, however it is cut into pieces`, () => {
    const bytes = Buffer.from(body);
    for (const cuts of [[], [...bytes.keys()], [3, 40, 41]]) {
      assert.throws(() => parse(bytes, cuts), { code: 'invalid_multipart' });
    }
  });
}

function parse(body: Buffer, cuts: number[] = []): Part[] {
  const parts: Part[] = [];
  let open: { part: Part; pieces: Buffer[] } | undefined;
  const parser = createMultipartParser('b', {
    onPart: (head) => {
      open = { part: { ...head, content: '' }, pieces: [] };
    },
    onData: (bytes) => void open!.pieces.push(Buffer.from(bytes)),
    onPartEnd: () => {
      parts.push({ ...open!.part, content: Buffer.concat(open!.pieces).toString() });
      open = undefined;
    },
  });
  let from = 0;
  for (const cut of [...cuts.toSorted((a, b) => a - b), body.length]) {
    if (cut <= from && cut < body.length) continue;
    parser.push(body.subarray(from, cut));
    from = Math.max(from, cut);
  }
  parser.end();
  return parts;
}
