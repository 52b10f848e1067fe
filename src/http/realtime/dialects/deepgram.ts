import { createHash } from 'node:crypto';
import type { StreamOptions } from '../../../../wire/option-types.ts';
import { requestOptions } from '../../../../wire/request-options.ts';
import type { SessionEvent, TranscriptEvent } from '../../../../wire/stream-events.ts';
import { readDialectOptions } from '../../../options/dialect-options.ts';
import { invalidValue } from '../../../options/option-value.ts';
import { defaultOptions, type OptionTexts, readOption, textsOf } from '../../../options/read-options.ts';
import { modelId } from '../../routes/models.ts';
import { feedContainerAudio } from '../container-audio.ts';
import { type Conversation, type OpenSession, parseMessage } from '../conversation.ts';
import type { Dialect, StreamOffers } from '../dialect.ts';
import { createOutbox } from '../outbox.ts';
import { inOurLanguages } from '../spoken-language.ts';
import { deepgramCredentials } from '../stream-credentials.ts';

/** Deepgram's own default, 10 ms, cuts sentences to pieces. */
const defaultEndpointingMs = 300;
const channel = [0, 1];

type DeepgramRequest = {
  config: StreamOptions;
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
  read(query, offers) {
    const request = readDeepgramQuery(textsOf(query), offers);
    return (open, sessionId) => converse(request, open, sessionId);
  },
};

function readDeepgramQuery(texts: OptionTexts, offers: StreamOffers): DeepgramRequest {
  readOption(texts, 'channels', { kind: 'whole', minimum: 1, maximum: 1 });
  const isContainer = !texts.get('encoding')?.some((encoding) => encoding.trim());
  const asked = readDialectOptions(inOurWords(texts, { isContainer }), 'deepgram');
  return {
    isContainer,
    speechEvents: readOption<boolean>(texts, 'vad_events', { kind: 'flag' }) ?? false,
    utteranceEndMs: readOption(texts, 'utterance_end_ms', { kind: 'whole', minimum: 100, maximum: 60_000 }),
    config: {
      ...defaultOptions('stream'),
      interimResults: false,
      endpointingMs: defaultEndpointingMs,
      ...asked,
      speakerDiarization: offers.speakers && (asked.speakerDiarization ?? false),
      words: true,
    },
  };
}

/** The same texts where theirs mean something else than ours would. */
function inOurWords(texts: OptionTexts, { isContainer }: { isContainer: boolean }): OptionTexts {
  const ours = new Map(inOurLanguages(texts, 'language'));
  // The rate stands in the container.
  if (isContainer) ours.delete('sample_rate');
  const keywords = texts.get('keywords');
  if (keywords) ours.set('keywords', keywords.map(withoutBoosts));
  const endpointing = texts.get('endpointing')?.map(inMilliseconds);
  if (endpointing) ours.set('endpointing', endpointing);
  return ours;
}

/** `false` waits as long as it can be asked to; what is outside the bounds is moved to them. */
function inMilliseconds(text: string): string {
  const { minimum, maximum } = requestOptions.endpointing_ms;
  const asked = text.trim();
  if (asked === 'false') return String(maximum);
  if (asked === '' || asked === 'true') return String(defaultEndpointingMs);
  if (!/^\d{1,6}$/.test(asked)) throw invalidValue('endpointing', '`endpointing` is milliseconds, or false.');
  return String(Math.min(Math.max(Number(asked), minimum), maximum));
}

/** `Siann:2,聲學:1.5` → `Siann,聲學` */
function withoutBoosts(keywords: string): string {
  return keywords.replace(/:-?[\d.]+(?=\s*([,，、]|$))/g, '');
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
