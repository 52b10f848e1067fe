import type { EndReason } from '../../../../wire/stream-events.ts';
import { endingError, endings } from '../../../errors/endings.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import type { Session } from '../../../sessions/session.ts';
import type { SessionClose } from '../../../sessions/session-close.ts';
import { type Conversation, type OpenSession, parseMessage } from '../conversation.ts';
import type { Dialect } from '../dialect.ts';
import { createOutbox } from '../outbox.ts';
import { streamCredentials } from '../stream-credentials.ts';
import { createOpenaiItems, type OpenaiItems, openaiError, openaiEvent } from './openai-items.ts';
import {
  defaultSettings,
  describeSettings,
  describeSettingsFlat,
  type OpenaiSettings,
  sessionConfig,
  updateSettings,
} from './openai-settings.ts';

/** OpenAI's clients send no keepalive, so a session stays alive as long as its connection. */
const keepAliveMs = 10_000;
/** How long a client may be connected before it sends audio. */
const firstAudioMs = 10 * 60_000;
const sessionSeconds = 4 * 3600;

/** The part of OpenAI's realtime interface that is about transcription. */
export const openaiDialect: Dialect = {
  name: 'openai',
  url: '/v1/realtime',
  credentials: streamCredentials,
  read: (query) => (open, sessionId, tokenNote) => {
    const settings = tokenNote === undefined ? defaultSettings : JSON.parse(tokenNote);
    return converse({ open, sessionId, settings, isOlder: query.get('intent') === 'transcription' });
  },
};

type ConverseOptions = {
  open: OpenSession;
  sessionId: string;
  settings: OpenaiSettings;
  /** The client is from before the interface was final. */
  isOlder: boolean;
};

/** The session is opened with the first audio, because until then the client may still change its settings. */
function converse({ open, sessionId, settings, isOlder }: ConverseOptions): Conversation {
  const outbox = createOutbox();
  const expiresAt = Math.floor(Date.now() / 1000) + sessionSeconds;
  let opened: { session: Session; items: OpenaiItems } | undefined;
  let hasAudio = false;
  let isOver = false;
  let conclude = (_close: SessionClose) => {};
  const closed = new Promise<SessionClose>((resolve) => {
    conclude = resolve;
  });
  const firstAudioTimer = setTimeout(() => end('idle'), firstAudioMs);
  const keepAlive = setInterval(() => opened?.session.keepAlive(), keepAliveMs);
  closed.then(() => {
    clearTimeout(firstAudioTimer);
    clearInterval(keepAlive);
  });
  sendSettings('created', isOlder);

  return {
    receiveText(text) {
      // What comes after the end must not open a session, for nobody would pay for it.
      if (isOver) return;
      const message = parseMessage(text) as Record<string, unknown> | undefined;
      try {
        if (message) handleMessage(message);
        else end('bad_message');
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const { message: sentence, type, wireCode, param } = error;
        outbox.send(openaiError({ message: sentence, type, code: wireCode, param }, message?.event_id));
      }
    },
    receiveBytes: () =>
      end('bad_message', invalid('Audio is sent as base64 in `input_audio_buffer.append`.')),
    messages: () => outbox.messages(),
    get bufferedSeconds() {
      return opened?.session.bufferedSeconds ?? 0;
    },
    get waiting() {
      return outbox.size + (opened?.session.waiting ?? 0);
    },
    end,
    closed,
  };

  function handleMessage(message: Record<string, unknown>): void {
    const { type } = message;
    if (type === 'session.update' || type === 'transcription_session.update') {
      update(message.session);
      sendSettings('updated', type !== 'session.update');
    } else if (type === 'input_audio_buffer.append') append(message.audio);
    else if (type === 'input_audio_buffer.commit') commit();
    else if (type === 'input_audio_buffer.clear') clear();
    else throw invalid('Only transcription is done here: update, append, commit and clear are understood.');
  }

  function update(change: unknown): void {
    const changed = updateSettings(settings, change);
    if (opened && JSON.stringify(changed) !== JSON.stringify(settings)) {
      throw invalid('The settings cannot be changed once audio has been sent. Connect again.');
    }
    settings = changed;
  }

  function sendSettings(what: 'created' | 'updated', isFlat: boolean): void {
    const type = isFlat ? 'transcription_session' : 'session';
    const describe = isFlat ? describeSettingsFlat : describeSettings;
    outbox.send(openaiEvent(`${type}.${what}`, { session: describe(settings, sessionId, expiresAt) }));
  }

  function append(audio: unknown): void {
    if (typeof audio !== 'string') throw invalid('`audio` must be base64.', 'audio');
    const bytes = Buffer.from(audio, 'base64');
    // An empty frame would close the session.
    if (bytes.length === 0) return;
    hasAudio = true;
    openedSession().session.receiveAudio(bytes);
  }

  function commit(): void {
    if (!hasAudio) throw invalid('There is no audio to commit. Append some first.');
    hasAudio = false;
    const { session, items } = openedSession();
    for (const message of items.commit()) outbox.send(message);
    session.finalize();
  }

  function clear(): void {
    if (opened && hasAudio) {
      opened.items.clear();
      opened.session.finalize();
    }
    hasAudio = false;
    outbox.send(openaiEvent('input_audio_buffer.cleared', {}));
  }

  function openedSession(): NonNullable<typeof opened> {
    if (opened) return opened;
    clearTimeout(firstAudioTimer);
    const session = open(sessionConfig(settings));
    const items = createOpenaiItems({ byPauses: settings.pauseMs !== undefined });
    opened = { session, items };
    outbox.forward(session, items.write);
    session.closed.then(conclude);
    return opened;
  }

  function end(reason: EndReason, error?: ServiceError): void {
    if (opened) {
      opened.session.end(reason, error);
      return;
    }
    if (isOver) return;
    isOver = true;
    const endError = endingError(reason, error);
    if (endError) outbox.send(openaiError(endError));
    outbox.end();
    conclude({ code: endings[reason].closeCode, reason });
  }
}

function invalid(message: string, param?: string): ServiceError {
  return new ServiceError('invalid_value', { message, ...(param && { param }) });
}
