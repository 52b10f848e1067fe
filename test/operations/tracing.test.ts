import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { startService } from '../support/service.ts';

type Span = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
};

test('requests and the work below them are traced, as part of the caller’s trace', async () => {
  const spans: Span[] = [];
  const collector = createServer(async (request, response) => {
    const body = (await json(request)) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
    assert.equal(request.url, '/v1/traces');
    spans.push(...body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;

  const running = await startService({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` } });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const { status, headers } = await running.fetch('/v1/audio/transcriptions', {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x', traceparent },
    body: '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nsiann-1\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nRIFF\r\n--x--\r\n',
  });
  assert.equal(status, 200);
  await running.fetch('/v1/account', { headers: { traceparent: 'nonsense' } });
  await running[Symbol.asyncDispose]();
  collector.close();

  const find = (name: string) => {
    const span = spans.find((candidate) => candidate.name === name);
    assert.ok(span, `${name} among ${spans.map((candidate) => candidate.name).join(', ')}`);
    return span;
  };
  const request = find('POST /v1/audio/transcriptions');
  assert.equal(request.traceId, '0af7651916cd43dd8448eb211c80319c');
  assert.equal(request.parentSpanId, 'b7ad6b7169203331');
  const attribute = (name: string) => request.attributes.find(({ key }) => key === name)?.value;
  assert.equal(attribute('siann.request_id')?.stringValue, headers['x-request-id']);
  assert.equal(attribute('http.response.status_code')?.intValue, 200);
  assert.equal(find('recognise').parentSpanId, request.spanId);
  assert.equal(find('decode').parentSpanId, find('recognise').spanId);
  assert.notEqual(find('GET /v1/account').traceId, request.traceId);
  assert.ok(!JSON.stringify(spans).includes(running.keys.live));
});

test('a collector that is not there keeps nothing from being answered or from stopping', async () => {
  const running = await startService({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' } });
  assert.equal((await running.fetch('/v1/account')).status, 200);
  await running[Symbol.asyncDispose]();
});
