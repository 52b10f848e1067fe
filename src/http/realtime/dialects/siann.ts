import type { Session } from '../../../sessions/session.ts';
import { invalidValue } from '../../fields/field-values.ts';
import { readStreamQuery } from '../../fields/stream-query.ts';
import { streamSchema } from '../../fields/stream-schema.ts';
import { sessionConversation } from '../conversation.ts';
import type { Dialect } from '../dialect.ts';
import { streamCredentials } from '../stream-credentials.ts';

/** Our own: the session's events word for word. */
export const siannDialect: Dialect = {
  name: 'siann',
  url: '/v1/speech/realtime',
  credentials: streamCredentials,
  schema: streamSchema,
  read(query, offers) {
    const { config, unknown } = readStreamQuery(query);
    if (config.speakerDiarization && !offers.speakers) {
      throw invalidValue(
        'speaker_diarization',
        'This service does not tell speakers apart in streams. Leave `speaker_diarization` out, or send false.',
      );
    }
    return (open) => {
      const session = open(config);
      for (const name of unknown) {
        const shown = name.slice(0, 100);
        session.warn('unknown_parameter', `The parameter \`${shown}\` is not known here and was ignored.`);
      }
      return sessionConversation({
        session,
        receiveText: (message) => obey(session, message),
        write: (event) => [event],
      });
    };
  },
};

function obey(session: Session, { type }: { type?: unknown }): boolean {
  if (type === 'keepalive') session.keepAlive();
  else if (type === 'finalize') session.finalize();
  else if (type === 'close') session.close();
  else return false;
  return true;
}
