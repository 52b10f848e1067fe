import type { StreamOptions } from '../../../../wire/option-types.ts';
import { speakerNumber } from '../../../../wire/speaker-number.ts';
import type { SessionEvent, TranscriptEvent } from '../../../../wire/stream-events.ts';
import { readDialectOptions } from '../../../options/dialect-options.ts';
import { defaultOptions, readOption, textsOf } from '../../../options/read-options.ts';
import { feedContainerAudio } from '../container-audio.ts';
import { type Conversation, type OpenSession, sessionConversation } from '../conversation.ts';
import type { Dialect } from '../dialect.ts';
import { inOurLanguages } from '../spoken-language.ts';
import { streamCredentials } from '../stream-credentials.ts';

/** Each update repeats the lines before it, so that a long stream shows its last ones only. */
const keptLines = 200;

/** WhisperLiveKit's `/asr`: what a browser's recorder makes goes in, the whole picture comes out with every change. */
export const whisperLiveKitDialect: Dialect = {
  name: 'whisperlivekit',
  url: '/asr',
  credentials: streamCredentials,
  read(query, offers) {
    const texts = textsOf(query);
    const isRaw = readOption<boolean>(texts, 'pcm_input', { kind: 'flag' }) ?? false;
    const asked = readDialectOptions(inOurLanguages(texts, 'language'), 'whisperlivekit');
    const speakerDiarization = offers.speakers && (asked.speakerDiarization ?? false);
    const config = { ...defaultOptions('stream'), ...asked, speakerDiarization };
    return (open) => converse(open, config, isRaw);
  },
};

type Line = { segmentId: number; speaker: number; text: string; start: number; end: number };

function converse(open: OpenSession, config: StreamOptions, isRaw: boolean): Conversation {
  const session = open(config);
  const container = isRaw ? undefined : feedContainerAudio(session);
  let lines: Line[] = [];
  let partial = '';
  const conversation = sessionConversation({
    session,
    // It has no text messages; some clients greet all the same.
    receiveText: () => true,
    receiveBytes(bytes) {
      if (!container) session.receiveAudio(bytes);
      else if (bytes.length === 0) container.end();
      else container.push(bytes);
    },
    write,
  });
  return {
    ...conversation,
    get bufferedSeconds() {
      return (container ?? session).bufferedSeconds;
    },
  };

  function write(event: SessionEvent): object[] {
    switch (event.type) {
      case 'session.begin':
        return [{ type: 'config', useAudioWorklet: isRaw, mode: 'full' }];
      case 'transcript':
        show(event);
        return [picture()];
      case 'speaker.revision':
        for (const { segment_id, speaker } of event.revisions) {
          const line = lines.find(({ segmentId }) => segmentId === segment_id);
          if (line) line.speaker = speakerNumber(speaker);
        }
        return [picture()];
      case 'error':
        return [{ ...picture(), status: 'error', error: event.error.message }];
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

  function picture() {
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

/** 0:01:05 */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const twoDigits = (value: number) => String(value % 60).padStart(2, '0');
  return `${Math.floor(whole / 3600)}:${twoDigits(Math.floor(whole / 60))}:${twoDigits(whole)}`;
}
