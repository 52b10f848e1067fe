import { createHash } from 'node:crypto';
import type { SessionEvent, TranscriptEvent } from '../../../../wire/stream-events.ts';
import { invalidValue } from '../../../options/option-value.ts';
import { textsOf } from '../../../options/read-options.ts';
import { modelId } from '../../routes/models.ts';
import { decodeContainerAudio } from '../container-audio.ts';
import { type Conversation, type OpenSession, parseControl } from '../conversation.ts';
import type { Dialect } from '../dialect.ts';
import { createOutbox } from '../outbox.ts';
import { deepgramCredentials } from '../stream-credentials.ts';
import { type DeepgramRequest, readDeepgramQuery } from './deepgram-query.ts';

const channel = [0, 1];

/** Deepgram's live transcription, for one channel. */
export const deepgramDialect: Dialect = {
  name: 'deepgram',
  url: '/v1/listen',
  credentials: deepgramCredentials,
  read(query, offers) {
    const request = readDeepgramQuery(textsOf(query), offers);
    return (open, sessionId) => converse(request, open, sessionId);
  },
};

function converse(request: DeepgramRequest, open: OpenSession, requestId: string): Conversation {
  const { config } = request;
  const session = open(config);
  const audio = request.isContainer ? decodeContainerAudio(session) : session;
  const outbox = createOutbox();
  const created = new Date().toISOString();
  const sum = createHash('sha256');
  let utteranceEndTimer: NodeJS.Timeout | undefined;
  outbox.forward(session, write);
  session.closed.then(() => clearTimeout(utteranceEndTimer));

  return {
    receiveText(text) {
      const type = parseControl(text)?.type;
      if (type === 'KeepAlive') session.keepAlive();
      else if (type === 'Finalize') session.finalize();
      else if (type === 'CloseStream') audio.close();
      else session.end('bad_message', invalidValue('type', unknownMessage));
    },
    receiveBytes(bytes) {
      sum.update(bytes);
      audio.receiveAudio(bytes);
    },
    messages: () => outbox.messages(),
    get bufferedSeconds() {
      return audio.bufferedSeconds;
    },
    get waiting() {
      return audio.waiting + outbox.size;
    },
    end: (reason, error) => session.end(reason, error),
    closed: session.closed,
  };

  function write(event: SessionEvent): object[] {
    switch (event.type) {
      case 'speech.started':
        clearTimeout(utteranceEndTimer);
        return request.speechEvents ? [{ type: 'SpeechStarted', channel, timestamp: event.at }] : [];
      case 'transcript':
        if (event.speech_final) scheduleUtteranceEnd(event);
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

  /** Sends `UtteranceEnd` if nobody begins to speak again by then. */
  function scheduleUtteranceEnd({ end }: TranscriptEvent): void {
    if (request.utteranceEndMs === undefined) return;
    clearTimeout(utteranceEndTimer);
    const leftMs = Math.max(0, request.utteranceEndMs - config.endpointingMs);
    utteranceEndTimer = setTimeout(
      () => outbox.send({ type: 'UtteranceEnd', channel, last_word_end: end }),
      leftMs,
    );
  }

  function metadata(duration: number): object {
    return {
      type: 'Metadata',
      transaction_key: 'deprecated',
      request_id: requestId,
      // A copy, because a client may go on sending audio, and a finished hash takes no more.
      sha256: sum.copy().digest('hex'),
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

/** Siann measures no confidence. With 1, clients that drop doubtful results drop none. */
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
