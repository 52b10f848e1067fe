import type { StreamOptions } from '../../../../wire/option-types.ts';
import { speakerNumber } from '../../../../wire/speaker-number.ts';
import type { SessionEvent, TranscriptEvent } from '../../../../wire/stream-events.ts';
import { readDialectOptions } from '../../../options/dialect-options.ts';
import { defaultOptions, readOption, textsOf } from '../../../options/read-options.ts';
import { decodeContainerAudio } from '../container-audio.ts';
import { type Conversation, type OpenSession, sessionConversation } from '../conversation.ts';
import type { Dialect } from '../dialect.ts';
import { translateLanguage } from '../spoken-language.ts';
import { streamCredentials } from '../stream-credentials.ts';

/** Every message repeats the lines so far. Only the last ones are kept, so that messages of a long stream stay small. */
const keptLines = 200;

/** WhisperLiveKit's `/asr`: a browser's recorder sends audio, and every change is answered with the whole state. */
export const whisperLiveKitDialect: Dialect = {
  name: 'whisperlivekit',
  url: '/asr',
  credentials: streamCredentials,
  read(query, offers) {
    const texts = textsOf(query);
    const isRaw = readOption<boolean>(texts, 'pcm_input', { kind: 'flag' }) ?? false;
    const asked = readDialectOptions(translateLanguage(texts, 'language'), 'whisperlivekit');
    const speakerDiarization = offers.speakers && (asked.speakerDiarization ?? false);
    const config = { ...defaultOptions('stream'), ...asked, speakerDiarization };
    return (open) => converse(open, config, isRaw);
  },
};

type Line = { segmentId: number; speaker: number; text: string; start: number; end: number };

function converse(open: OpenSession, config: StreamOptions, isRaw: boolean): Conversation {
  const session = open(config);
  const audio = isRaw ? session : decodeContainerAudio(session);
  let lines: Line[] = [];
  let partial = '';
  // This dialect has no text messages, but some clients send one at the beginning.
  return sessionConversation({ session, audio, receiveText: () => true, write });

  function write(event: SessionEvent): object[] {
    switch (event.type) {
      case 'session.begin':
        return [{ type: 'config', useAudioWorklet: isRaw, mode: 'full' }];
      case 'transcript':
        show(event);
        return [state()];
      case 'speaker.revision':
        for (const { segment_id, speaker } of event.revisions) {
          const line = lines.find(({ segmentId }) => segmentId === segment_id);
          if (line) line.speaker = speakerNumber(speaker);
        }
        return [state()];
      case 'error':
        return [{ ...state(), status: 'error', error: event.error.message }];
      case 'session.end':
        return event.reason === 'closed_by_client' ? [{ type: 'ready_to_stop' }] : [];
      default:
        return [];
    }
  }

  function show({ is_final, segment_id, start, end, text, speaker = 0 }: TranscriptEvent): void {
    partial = is_final ? '' : text;
    if (!is_final || text === '') return;
    lines = [...lines, { segmentId: segment_id, speaker: speakerNumber(speaker), text, start, end }].slice(
      -keptLines,
    );
  }

  function state() {
    const waitingSeconds = Math.round(session.bufferedSeconds * 10) / 10;
    return {
      status: lines.length > 0 || partial !== '' ? 'active_transcription' : 'no_audio_detected',
      lines: lines.map(({ speaker, text, start, end }) => ({
        speaker,
        text,
        start: clock(start),
        end: clock(end),
      })),
      buffer_transcription: partial,
      buffer_diarization: '',
      buffer_translation: '',
      remaining_time_transcription: waitingSeconds,
      remaining_time_diarization: 0,
    };
  }
}

/** 65 → `0:01:05` */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const twoDigits = (value: number) => String(value % 60).padStart(2, '0');
  return `${Math.floor(whole / 3600)}:${twoDigits(Math.floor(whole / 60))}:${twoDigits(whole)}`;
}
