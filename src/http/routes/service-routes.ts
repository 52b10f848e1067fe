import type { FastifyInstance } from 'fastify';
import type { Environment } from '../../../wire/account.ts';
import type { UsageViews } from '../../accounts/usage/usage-views.ts';
import { createNetworkList } from '../../addresses/networks.ts';
import type { Metrics } from '../../operations/metrics.ts';
import type { Readiness } from '../../operations/readiness.ts';
import type { ServiceLog } from '../../operations/service-log.ts';
import { defaultSessionLimits } from '../../sessions/session-limits.ts';
import type { Config } from '../../settings/config.ts';
import type { Recogniser } from '../../speech/recogniser.ts';
import { asyncApi } from '../docs/async-api.ts';
import { docsPage } from '../docs/docs-page.ts';
import { guideRoutes } from '../docs/guide-routes.ts';
import { openApi } from '../docs/openapi.ts';
import type { OpenStreams } from '../realtime/open-streams.ts';
import { openaiTokenRoutes } from '../realtime/openai-token-routes.ts';
import { realtimeRoutes } from '../realtime/realtime-routes.ts';
import { tokenRoute } from '../realtime/token-route.ts';
import { allowOrigins } from '../server/cors.ts';
import { createTranscriptionCapacity } from '../transcription/capacity.ts';
import { transcriptionRoute } from '../transcription/transcription-route.ts';
import { accountRoutes } from './account.ts';
import { modelRoutes } from './models.ts';
import { operatingRoutes } from './operating.ts';

export type ServiceRoutesOptions = {
  config: Config;
  views: UsageViews;
  recogniser: Recogniser;
  streams: OpenStreams;
  metrics: Metrics;
  readiness: Readiness;
  log: ServiceLog;
  addresses: Record<Environment, string>;
};

/** Every route of an environment. */
export function createServiceRoutes(options: ServiceRoutesOptions) {
  const { config, views, recogniser, streams, metrics, readiness, log, addresses } = options;
  // Behind a proxy, the address that clients call is not known here.
  const servers =
    config.tls === 'proxy'
      ? [{ url: '/v1', description: 'This environment' }]
      : [
          { url: addresses.live, description: 'Live' },
          { url: addresses.test, description: 'Test' },
        ];
  const metricsAllow = createNetworkList(config.metricsAllow);
  const capacity = createTranscriptionCapacity({ maxTranscriptions: config.maxTranscriptions });
  const pace = {
    idleMs: config.uploadIdleSeconds * 1000,
    minimumBytesPerSecond: config.uploadBytesPerSecond,
    graceMs: 15_000,
  };

  const streamLimits = {
    ...defaultSessionLimits,
    idleSeconds: config.streamIdleSeconds,
    idleWarningSeconds: (config.streamIdleSeconds * 2) / 3,
  };

  return async (app: FastifyInstance): Promise<void> => {
    allowOrigins(app, config.corsOrigins);
    await openApi(app, { servers });
    asyncApi(app, { servers });
    docsPage(app, { servers });
    guideRoutes(app);
    transcriptionRoute(app, { recogniser, capacity, pace, metrics, log });
    const { stream, decoding, trackSpeakers } = recogniser;
    if (stream) {
      realtimeRoutes(app, {
        recogniser: stream,
        ...(decoding && { decoding }),
        streams,
        limits: streamLimits,
        corsOrigins: config.corsOrigins,
        metrics,
        log,
        ...(trackSpeakers && { createSpeakerTracker: trackSpeakers }),
      });
    }
    tokenRoute(app);
    openaiTokenRoutes(app);
    accountRoutes(app, { views });
    modelRoutes(app);
    operatingRoutes(app, { readiness, metrics, metricsAllow });
  };
}
