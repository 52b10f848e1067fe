import type { IncomingHttpHeaders } from 'node:http';
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Recogniser } from '../speech/recogniser.ts';

/** A span for each request, with the decoding and the recognition below it. */
export type Tracing = AsyncDisposable & {
  startRequest(requestId: string, headers: IncomingHttpHeaders): RequestSpan;
  /** The same recogniser, whose work is traced below the span of its request. */
  traced(recogniser: Recogniser): Recogniser;
};

export type RequestSpan = { end(answer: AnswerFields): void };

type AnswerFields = {
  method: string;
  route: string;
  status: number;
  environment: string;
  projectId?: string;
};

const shutdownMs = 2_000;

/** Sends spans to a collector over OTLP. The SDK is loaded here, so that it costs nothing where tracing is off. */
export async function createTracing({ endpoint }: { endpoint: string }): Promise<Tracing> {
  const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'siann' }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('siann');
  const open = new Map<string, Span>();

  return {
    startRequest(requestId, headers) {
      const attributes = { 'siann.request_id': requestId };
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER, attributes }, callerOf(headers));
      open.set(requestId, span);
      return {
        end({ method, route, status, environment, projectId }) {
          open.delete(requestId);
          span.updateName(`${method} ${route}`);
          span.setAttributes({
            'http.request.method': method,
            'http.route': route,
            'http.response.status_code': status,
            'siann.environment': environment,
            ...(projectId && { 'siann.project_id': projectId }),
          });
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },

    traced: (recogniser) => ({
      ...recogniser,
      [Symbol.asyncDispose]: () => recogniser[Symbol.asyncDispose](),
      async *transcribe(bytes, options) {
        const request = open.get(options.requestId ?? '');
        const below = request ? trace.setSpan(ROOT_CONTEXT, request) : ROOT_CONTEXT;
        const recognition = tracer.startSpan('recognise', {}, below);
        const decoding = tracer.startSpan('decode', {}, trace.setSpan(ROOT_CONTEXT, recognition));
        try {
          const result = yield* recogniser.transcribe(
            withEnd(bytes, () => decoding.end()),
            options,
          );
          recognition.setAttribute('siann.audio_seconds', result.durationSeconds);
          return result;
        } catch (error) {
          recognition.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          decoding.end();
          recognition.end();
        }
      },
    }),

    async [Symbol.asyncDispose]() {
      // A collector that has gone must not keep the service from stopping.
      const late = new Promise((resolve) => setTimeout(resolve, shutdownMs).unref());
      await Promise.race([provider.shutdown().catch(() => {}), late]);
    },
  };
}

/** The trace that the caller is in, as W3C's `traceparent` tells it. */
function callerOf({ traceparent }: IncomingHttpHeaders): Context {
  const match = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(String(traceparent ?? ''));
  if (!match) return ROOT_CONTEXT;
  const [, traceId, spanId, flags] = match;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: traceId!,
    spanId: spanId!,
    traceFlags: Number.parseInt(flags!, 16),
    isRemote: true,
  });
}

async function* withEnd(bytes: AsyncIterable<Uint8Array>, onEnd: () => void): AsyncGenerator<Uint8Array> {
  yield* bytes;
  onEnd();
}
