import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRaw } from '../../../support/raw-connection.ts';
import { startService, type TestService } from '../../../support/service.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service[Symbol.asyncDispose]());

const form = 'Content-Type: multipart/form-data; boundary=b\r\n';
const head = (path: string, headers: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n${headers}\r\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

test('a form in chunks of one byte is refused with a sentence, and the connection is closed', async () => {
  await using connection = await openRaw(service.ports.live, service.ca);
  connection.send(head('/v1/audio/transcriptions', `Authorization: Bearer ${service.keys.live}\r\n${form}`));
  connection.send(chunk('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'));
  connection.send(chunk('x').repeat(20_000));
  const answer = await connection.closed();
  assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*chunks of the body are too small\. Send at least 32 bytes/);
});

test('a request that was refused already is cut off when its body goes on in tiny chunks', async () => {
  await using connection = await openRaw(service.ports.live, service.ca);
  connection.send(head('/nothing', ''));
  connection.send(chunk('x').repeat(200_000));
  await connection.closed(3_000);
});

test('a form in chunks of some bytes is read', async () => {
  await using connection = await openRaw(service.ports.live, service.ca);
  connection.send(head('/v1/audio/transcriptions', `Authorization: Bearer ${service.keys.live}\r\n${form}`));
  const file = 'y'.repeat(100_000);
  const body = `--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nsiann-1\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${file}\r\n--b--\r\n`;
  for (let at = 0; at < body.length; at += 40) connection.send(chunk(body.slice(at, at + 40)));
  connection.send('0\r\n\r\n');
  await connection.until(/^HTTP\/1\.1 200 /);
});
