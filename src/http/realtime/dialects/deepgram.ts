import { createHash } from 'node:crypto';
import type { SessionEvent, TranscriptEvent } from '../../../../wire/stream-events.ts';
import type { SessionConfig } from '../../../sessions/session.ts';
import { invalidValue, readBoolean, readList, readNumber, readText } from '../../fields/field-values.ts';
import { readSpokenLanguage } from '../../fields/spoken-language.ts';
import { endpointingLimits, fieldsOf, rateLimits, readEncoding } from '../../fields/stream-query.ts';
import { modelId } from '../../routes/models.ts';
import type { FormFields } from '../../transcription/upload/form-reader.ts';
import { feedContainerAudio } from '../container-audio.ts';
import { type Conversation, type OpenSession, parseMessage } from '../conversation.ts';
import type { Dialect, StreamOffers } from '../dialect.ts';
import { createOutbox } from '../outbox.ts';
import { deepgramCredentials } from '../stream-credentials.ts';

/** Deepgram's own default, 10 ms, cuts sentences to pieces. */
const defaultEndpointingMs = 300;
const channel = [0, 1];

type DeepgramRequest = {
  config: SessionConfig;
  /** The audio says itself what it is. */
  isContainer: boolean;
  speechEvents: boolean;
  utteranceEndMs: number | undefined;
};

/** Deepgram's live transcription, for one channel. */
export const deepgramDialect: Dialect = {
  name: 'deepgram',
  url: '/v1/listen',
  credentials: deepgramCredentials,
  schema: { hide: true },
  read(query, offers) {
    const request = readDeepgramQuery(fieldsOf(query), offers);
    return (open, sessionId) => converse(request, open, sessionId);
  },
};

function readDeepgramQuery(fields: FormFields, offers: StreamOffers): DeepgramRequest {
  readNumber(fields, 'channels', { minimum: 1, maximum: 1, whole: true });
  const encoding = readEncoding(fields);
  return {
    isContainer: encoding === undefined,
    speechEvents: readBoolean(fields, 'vad_events') ?? false,
    utteranceEndMs: readNumber(fields, 'utterance_end_ms', { minimum: 100, maximum: 60_000, whole: true }),
    config: {
      language: readSpokenLanguage(readText(fields, 'language'), 'language'),
      encoding: encoding ?? 'LINEAR16',
      sampleRate: (encoding && readNumber(fields, 'sample_rate', rateLimits)) ?? 16_000,
      interimResults: readBoolean(fields, 'interim_results') ?? false,
      speakerDiarization: offers.speakers && (readBoolean(fields, 'diarize') ?? false),
      endpointingMs: readEndpointing(fields),
      words: true,
      hotwords: [...readList(fields, 'keyterm'), ...readList(fields, 'keywords').map(withoutBoost)],
    },
  };
}

function readEndpointing(fields: FormFields): number {
  const value = readText(fields, 'endpointing')?.trim();
  if (value === 'false') return endpointingLimits.maximum;
  if (value === undefined || value === 'true') return defaultEndpointingMs;
  const asked = /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(asked)) throw invalidValue('endpointing', '`endpointing` is milliseconds, or false.');
  return Math.min(Math.max(asked, endpointingLimits.minimum), endpointingLimits.maximum);
}

function withoutBoost(keyword: string): string {
  return keyword.replace(/:-?[\d.]+$/, '');
}

function converse(request: DeepgramRequest, open: OpenSession, requestId: string): Conversation {
  const { config } = request;
  const session = open(config);
  const container = request.isContainer ? feedContainerAudio(session) : undefined;
  const outbox = createOutbox();
  const created = new Date().toISOString();
  const sum = createHash('sha256');
  let utteranceEnd: NodeJS.Timeout | undefined;
  outbox.follow(session, write);
  session.closed.then(() => clearTimeout(utteranceEnd));

  return {
    receiveText(text) {
      const type = parseMessage(text)?.type;
      if (type === 'KeepAlive') session.keepAlive();
      else if (type === 'Finalize') session.finalize();
      else if (type === 'CloseStream') close();
      else session.end('bad_message', invalidValue('type', unknownMessage));
    },
    receiveBytes(bytes) {
      if (bytes.length === 0) return close();
      sum.update(bytes);
      if (container) container.push(bytes);
      else session.receiveAudio(bytes);
    },
    messages: () => outbox.messages(),
    get bufferedSeconds() {
      return (container ?? session).bufferedSeconds;
    },
    end: (reason, error) => session.end(reason, error),
    closed: session.closed,
  };

  function close(): void {
    if (container) container.end();
    else session.close();
  }

  function write(event: SessionEvent): object[] {
    switch (event.type) {
      case 'speech.started':
        clearTimeout(utteranceEnd);
        return request.speechEvents ? [{ type: 'SpeechStarted', channel, timestamp: event.at }] : [];
      case 'transcript':
        if (event.speech_final) expectUtteranceEnd(event);
        return [results(event, requestId)];
      case 'error': {
        const { code, message } = event.error;
        return [{ type: 'Error', variant: code, description: message, message }];
      }
      case 'session.end':
        return [metadata(event.audio_seconds)];
      default:
        return [];
    }
  }

  /** Said when nobody has begun to speak again by then. */
  function expectUtteranceEnd({ end }: TranscriptEvent): void {
    if (request.utteranceEndMs === undefined) return;
    clearTimeout(utteranceEnd);
    const leftMs = Math.max(0, request.utteranceEndMs - config.endpointingMs);
    utteranceEnd = setTimeout(
      () => outbox.say({ type: 'UtteranceEnd', channel, last_word_end: end }),
      leftMs,
    );
  }

  function metadata(duration: number): object {
    return {
      type: 'Metadata',
      transaction_key: 'deprecated',
      request_id: requestId,
      sha256: sum.digest('hex'),
      created,
      duration,
      channels: 1,
      models: [modelId],
      model_info: { [modelId]: modelInfo },
    };
  }
}

const modelInfo = { name: modelId, version: '1', arch: 'whisper' };
const unknownMessage =
  'A text message is {"type":"KeepAlive"}, {"type":"Finalize"} or {"type":"CloseStream"}. Send audio in binary messages.';

/** We measure no confidence; clients that drop doubtful results shall drop none. */
const confidence = 1;

function results(event: TranscriptEvent, requestId: string): object {
  const { start, end, text, language, speaker } = event;
  const words = (event.words ?? []).map(({ word, start, end }) => ({
    word: word.toLowerCase().replace(/[^\p{L}\p{M}\p{N}'’-]+/gu, ''),
    start,
    end,
    confidence,
    punctuated_word: word.trim(),
    ...(speaker !== undefined && { speaker }),
  }));
  return {
    type: 'Results',
    channel_index: channel,
    start,
    duration: Math.round((end - start) * 1000) / 1000,
    is_final: event.is_final,
    speech_final: event.speech_final,
    from_finalize: event.from_finalize,
    channel: { alternatives: [{ transcript: text, confidence, languages: [language], words }] },
    metadata: { request_id: requestId, model_info: modelInfo, model_uuid: modelId },
  };
}
