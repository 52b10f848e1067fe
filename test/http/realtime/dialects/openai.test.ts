import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openaiDialect } from '../../../../src/http/realtime/dialects/openai.ts';

test('audio that comes after the end opens no session, since its lease is closed by then', async () => {
  const begin = openaiDialect.read(new URLSearchParams(), { speakers: false });
  const conversation = begin(() => assert.fail('a session was opened'), 'req_1', undefined);
  conversation.receiveText('not JSON');
  assert.equal((await conversation.closed).reason, 'bad_message');
  conversation.receiveText('{"type":"input_audio_buffer.append","audio":"AAAA"}');
});
