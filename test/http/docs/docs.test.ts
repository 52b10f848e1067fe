import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { eventSchemas } from '../../../src/http/docs/event-schemas.ts';
import { renderMarkdown } from '../../../src/http/docs/markdown.ts';
import { docsPages } from '../../../src/http/docs/page-frame.ts';
import type { SessionEvent } from '../../../wire/stream-events.ts';
import { scriptedStreams } from '../../support/scripted-streams.ts';
import { silentRecogniser, startService, type TestService } from '../../support/service.ts';
import { connectStream, silence } from '../../support/stream-client.ts';

describe('the documentation', () => {
  let running: TestService;
  before(async () => {
    running = await startService({ recogniser: { ...silentRecogniser(), stream: scriptedStreams() } });
  });
  after(() => running[Symbol.asyncDispose]());

  test('has every guide; guides run and load nothing, and their links lead to pages', async () => {
    const targets = new Set<string>();
    const anchors = new Set<string>();
    for (const { name, title } of docsPages) {
      const { status, headers, text } = await running.fetch(`/docs/${name}`, {
        headers: { authorization: '' },
      });
      assert.equal(status, 200, name);
      assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/);
      assert.match(text, /^<!doctype html>.*<h1/s);
      assert.ok(text.includes(`aria-current="page">${title}</a>`), name);
      assert.doesNotMatch(text, /<script|src=|undefined|\[object|\*\*|```/);
      for (const [, target] of text.matchAll(/href="(\/[^"]*)"/g)) targets.add(target!);
      for (const [, id] of text.matchAll(/ id="([^"]+)"/g)) anchors.add(`/docs/${name}#${id}`);
    }
    for (const target of targets) {
      if (target.includes('#')) assert.ok(anchors.has(target), target);
      else assert.equal((await running.fetch(target)).status, 200, target);
    }
    assert.equal((await running.fetch('/docs/nothing')).status, 404);
  });

  test('describes live captions as AsyncAPI 3, and its references can be resolved', async () => {
    const { status, text } = await running.fetch('/v1/asyncapi.json', { headers: { authorization: '' } });
    assert.equal(status, 200);
    const document = JSON.parse(text);
    assert.equal(document.asyncapi, '3.0.0');
    assert.equal(document.channels.stream.address, '/speech/realtime');
    assert.equal(document.servers.live.host, new URL(running.addresses.live).host);
    for (const [, reference] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = reference!.split('/').reduce((node, key) => node?.[key], document);
      assert.ok(found, reference);
    }
  });

  test('describes the events as they are sent', async () => {
    const ajv = new Ajv({ strict: false, formats: { 'date-time': true } });
    await using client = await connectStream(running, { path: '/v1/speech/realtime?other=1' });
    client.send(silence(5));
    client.send({ type: 'finalize' });
    client.send({ type: 'close' });
    await client.closed;
    const events = client.messages as SessionEvent[];
    const seen = new Set(events.map(({ type }) => type));
    for (const type of ['session.begin', 'speech.started', 'transcript', 'warning', 'session.end'] as const)
      assert.ok(seen.has(type), type);
    for (const event of events) {
      const schema = { ...eventSchemas[event.type], additionalProperties: false };
      assert.ok(ajv.validate(schema, event), `${JSON.stringify(event)}: ${ajv.errorsText()}`);
    }
  });
});

test('a guide is rendered for keyboards and screen readers, and links only to pages', () => {
  const html = renderMarkdown(
    '<!-- a note -->\n\n# A & B\n\nSome `<b>` and **bold**\ntext, [here](../files.md#x), [not](javascript:alert), <script>x</script>.\n\n- one\n  - inside\n- two\n\n| | b |\n|---|---|\n| `x\\|y` | z |\n\n```sh\n# <no>\n```\n',
  );
  assert.equal(
    html,
    [
      '<h1 id="a-b">A &amp; B</h1>',
      '<p>Some <code>&lt;b&gt;</code> and <strong>bold</strong>\ntext, <a href="/docs/files#x">here</a>, not, x.</p>',
      '<ul>\n<li>one<ul>\n<li>inside</li>\n</ul>\n</li>\n<li>two</li>\n</ul>',
      '<div class="wide" tabindex="0"><table><thead><tr><td></td><th>b</th></tr></thead><tbody><tr><td><code>x|y</code></td><td>z</td></tr></tbody></table></div>',
      '<pre tabindex="0"><code># &lt;no&gt;</code></pre>\n',
    ].join('\n'),
  );
});
