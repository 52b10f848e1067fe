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

/** Its clients know no keepalive: the connection itself is their sign of life. */
const keepAliveMs = 10_000;
/** How long a client may be connected before it sends audio. */
const patienceMs = 10 * 60_000;
const sessionSeconds = 4 * 3600;

/** OpenAI's realtime interface, as far as it is about transcription. */
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

/** The session is opened with the first audio: until then the client may still say what it will be. */
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
  const patience = setTimeout(() => end('idle'), patienceMs);
  const keepAlive = setInterval(() => opened?.session.keepAlive(), keepAliveMs);
  closed.then(() => {
    clearTimeout(patience);
    clearInterval(keepAlive);
  });
  tellSettings('created', isOlder);

  return {
    receiveText(text) {
      const message = parseMessage(text) as Record<string, unknown> | undefined;
      try {
        if (message) obey(message);
        else end('bad_message');
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const { message: sentence, type, wireCode, param } = error;
        outbox.say(openaiError({ message: sentence, type, code: wireCode, param }, message?.event_id));
      }
    },
    receiveBytes: () =>
      end('bad_message', invalid('Audio is sent as base64 in `input_audio_buffer.append`.')),
    messages: () => outbox.messages(),
    get bufferedSeconds() {
      return opened?.session.bufferedSeconds ?? 0;
    },
    end,
    closed,
  };

  function obey(message: Record<string, unknown>): void {
    const { type } = message;
    if (type === 'session.update' || type === 'transcription_session.update') {
      update(message.session);
      tellSettings('updated', type !== 'session.update');
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

  function tellSettings(what: 'created' | 'updated', isFlat: boolean): void {
    const type = isFlat ? 'transcription_session' : 'session';
    const describe = isFlat ? describeSettingsFlat : describeSettings;
    outbox.say(openaiEvent(`${type}.${what}`, { session: describe(settings, sessionId, expiresAt) }));
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
    for (const message of items.commit()) outbox.say(message);
    session.finalize();
  }

  function clear(): void {
    hasAudio = false;
    if (opened) {
      opened.items.clear();
      opened.session.finalize();
    }
    outbox.say(openaiEvent('input_audio_buffer.cleared', {}));
  }

  function openedSession(): NonNullable<typeof opened> {
    if (opened) return opened;
    clearTimeout(patience);
    const session = open(sessionConfig(settings));
    const items = createOpenaiItems({ byPauses: settings.pauseMs !== undefined });
    opened = { session, items };
    outbox.follow(session, items.write);
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
    const said = endingError(reason, error);
    if (said) outbox.say(openaiError(said));
    outbox.end();
    conclude({ code: endings[reason].closeCode, reason });
  }
}

function invalid(message: string, param?: string): ServiceError {
  return new ServiceError('invalid_value', { message, ...(param && { param }) });
}
