import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { emptyBodyHash } from '../../accounts/keys/signature.ts';
import type { StreamDecoding } from '../../audio/stream-decoding.ts';
import type { Metrics } from '../../operations/metrics.ts';
import type { ServiceLog } from '../../operations/service-log.ts';
import { createSession, refusalOf } from '../../sessions/session.ts';
import type { SessionLimits } from '../../sessions/session-limits.ts';
import type { StreamRecogniser } from '../../speech/live/stream-recogniser.ts';
import type { SpeakerTracker } from '../../speech/speakers/speaker-tracker.ts';
import { leaseOf } from '../server/admission-hook.ts';
import type { StreamRecord } from '../server/request-record.ts';
import type { BeginConversation } from './conversation.ts';
import type { Dialect } from './dialect.ts';
import { deepgramDialect } from './dialects/deepgram.ts';
import { openaiDialect } from './dialects/openai.ts';
import { siannDialect } from './dialects/siann.ts';
import { whisperLiveKitDialect } from './dialects/whisperlivekit.ts';
import type { OpenStreams } from './open-streams.ts';
import { reportFaults } from './report-faults.ts';
import { createSocketAcceptor } from './socket/accept-socket.ts';
import { type CarryTimes, carryConversation } from './socket/carry-conversation.ts';
import { createOriginCheck, queryOf } from './stream-credentials.ts';
import { createStreamFigures } from './stream-figures.ts';

type RealtimeRoutesOptions = {
  recogniser: StreamRecogniser;
  decoding?: StreamDecoding;
  /** Shared by all environments of the process. */
  streams: OpenStreams;
  limits: SessionLimits;
  corsOrigins: readonly string[];
  metrics: Pick<Metrics, 'streamOpened' | 'streamClosed' | 'streamFault' | 'finalSaid'>;
  log: Pick<ServiceLog, 'error'>;
  /** Without it, streams cannot tell speakers apart. */
  createSpeakerTracker?: () => SpeakerTracker;
  times?: CarryTimes;
};

const dialects: Dialect[] = [siannDialect, openaiDialect, deepgramDialect, whisperLiveKitDialect];

/** The record of a stream that failed before its session ended. */
const lostStream = { closeCode: 1011, reason: 'internal_error', audioSeconds: 0, billedSeconds: 0 } as const;

/** Live captions in every dialect. All of them use the same sessions. */
export function realtimeRoutes(app: FastifyInstance, options: RealtimeRoutesOptions): void {
  const { recogniser, streams, limits, metrics, log } = options;
  const acceptor = createSocketAcceptor(limits);
  const offers = { speakers: options.createSpeakerTracker !== undefined };
  const checkOrigin = createOriginCheck(options.corsOrigins);

  for (const dialect of dialects) {
    app.route({
      method: 'GET',
      url: dialect.url,
      config: {
        admission: 'connection',
        scope: 'realtime',
        credentials: dialect.credentials,
        documented: dialect.documented ?? { hide: true },
      },
      handler: (request, reply) => openStream(dialect, request, reply),
    });
  }

  async function openStream(
    dialect: Dialect,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const begin = dialect.read(queryOf(request.raw), offers);
    acceptor.check(request.raw);
    checkOrigin(request.raw);
    await leaseOf(request).verifyBody(emptyBodyHash);
    streams.checkCapacity();
    reply.hijack();
    // The client has gone away meanwhile, and its lease is closed.
    if (reply.raw.closed) return reply;
    const socket = acceptor.accept(request.raw, { 'x-request-id': request.id });
    request.stream = stream(dialect.name, begin, request, socket).catch((error) => {
      log.error({ requestId: request.id, err: error }, 'stream failed');
      socket.terminate();
      return { ...lostStream, dialect: dialect.name };
    });
    return reply;
  }

  async function stream(
    dialect: string,
    begin: BeginConversation,
    request: FastifyRequest,
    socket: WebSocket,
  ): Promise<StreamRecord> {
    const lease = leaseOf(request);
    const figures = createStreamFigures({ onFinal: metrics.finalSaid });
    const conversation = begin(
      (config) => {
        const session = createSession({
          id: request.id,
          config,
          recogniser,
          ...(options.decoding && { decoding: options.decoding }),
          account: lease,
          revoked: lease.revoked,
          limits,
          onFault: reportFaults({ requestId: request.id, metrics, log }),
          ...(config.speakerDiarization &&
            options.createSpeakerTracker && { speakers: options.createSpeakerTracker() }),
        });
        return figures.measure(session, config);
      },
      request.id,
      lease.tokenNote,
    );
    metrics.streamOpened(dialect);
    const removeStream = streams.add(conversation);
    // An open session sees this by itself. A client without a session yet learns it from here.
    const onRevoked = () => conversation.end('key_revoked', refusalOf(lease.revoked));
    lease.revoked.addEventListener('abort', onRevoked, { once: true });
    const { socket: connection } = request.raw;
    try {
      await carryConversation({
        socket,
        conversation,
        bytesRead: () => connection.bytesRead,
        onFailure: (error) => log.error({ requestId: request.id, err: error }, 'stream failed'),
        ...(options.times && { times: options.times }),
      });
    } finally {
      removeStream();
    }
    const { code: closeCode, reason } = await conversation.closed;
    const { audioSeconds, billedSeconds } = figures;
    const record = { dialect, closeCode, reason, audioSeconds, billedSeconds };
    metrics.streamClosed(record);
    return record;
  }
}
