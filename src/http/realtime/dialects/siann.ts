import { requestOptions } from '../../../../wire/request-options.ts';
import { namesOf } from '../../../options/option-names.ts';
import { invalidValue } from '../../../options/option-value.ts';
import { defaultOptions, readOptions, textsOf } from '../../../options/read-options.ts';
import type { Session } from '../../../sessions/session.ts';
import { sessionConversation } from '../conversation.ts';
import type { Dialect } from '../dialect.ts';
import { streamCredentials } from '../stream-credentials.ts';
import { streamSchema } from '../stream-schema.ts';

const known = new Set([...namesOf(requestOptions, 'stream').keys(), 'token']);

/** An address has space for thousands of unknown parameters. */
const maxWarnings = 20;

/** Siann's own dialect: the events of the session, unchanged. */
export const siannDialect: Dialect = {
  name: 'siann',
  url: '/v1/speech/realtime',
  credentials: streamCredentials,
  documented: streamSchema,
  read(query, offers) {
    const texts = textsOf(query);
    const config = { ...defaultOptions('stream'), ...readOptions(texts, 'stream') };
    const unknown = [...texts.keys()].filter((name) => !known.has(name));
    if (config.speakerDiarization && !offers.speakers) {
      throw invalidValue(
        'speaker_diarization',
        'This service does not tell speakers apart in streams. Leave `speaker_diarization` out, or send false.',
      );
    }
    return (open) => {
      const session = open(config);
      for (const name of unknown.slice(0, maxWarnings)) {
        const shown = name.slice(0, 100);
        session.warn('unknown_parameter', `The parameter \`${shown}\` is not known here and was ignored.`);
      }
      return sessionConversation({
        session,
        receiveText: (message) => handleMessage(session, message),
        write: (event) => [event],
      });
    };
  },
};

function handleMessage(session: Session, { type }: { type?: unknown }): boolean {
  if (type === 'keepalive') session.keepAlive();
  else if (type === 'finalize') session.finalize();
  else if (type === 'close') session.close();
  else return false;
  return true;
}
