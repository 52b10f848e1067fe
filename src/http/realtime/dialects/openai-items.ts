import { randomUUID } from 'node:crypto';
import type { SessionEvent, TranscriptEvent } from '../../../../wire/stream-events.ts';
import { joinText } from '../../../speech/text/join-text.ts';

/** Turns the events of a session into OpenAI's items. Each utterance is an item of the conversation. */
export type OpenaiItems = {
  write(event: SessionEvent): object[];
  /** The client completes the current item (`commit`) or drops it (`clear`). The final that answers `finalize` then ends it. */
  commit(): object[];
  clear(): void;
};

/** Deltas can only add to the text that was `sent`. If the final differs from it, the whole text comes with `completed`. */
type Item = {
  id: string;
  startSeconds: number;
  finals: string[];
  sent: string;
  isCommitted: boolean;
  previousId: string | null;
};

export function createOpenaiItems({ byPauses }: { byPauses: boolean }): OpenaiItems {
  let item: Item | undefined;
  let previousId: string | null = null;
  const requests: ('commit' | 'clear')[] = [];

  const open = (startSeconds: number): Item => {
    item ??= { id: openaiId('item'), startSeconds, finals: [], sent: '', isCommitted: false, previousId };
    return item;
  };

  return {
    write(event) {
      if (event.type === 'speech.started') return begin(event.at);
      if (event.type === 'transcript') return writeTranscript(event);
      if (event.type === 'error') return [openaiError(event.error)];
      return [];
    },
    commit() {
      requests.push('commit');
      return committed(open(0));
    },
    clear: () => void requests.push('clear'),
  };

  function begin(at: number): object[] {
    const isNew = item === undefined;
    const { id } = open(at);
    if (!byPauses || !isNew) return [];
    const audio_start_ms = Math.round(at * 1000);
    return [openaiEvent('input_audio_buffer.speech_started', { audio_start_ms, item_id: id })];
  }

  function writeTranscript(event: TranscriptEvent): object[] {
    const current = open(event.start);
    if (!event.is_final) return delta(current, joinText([...current.finals, event.text]));
    current.finals.push(event.text);
    const request = event.from_finalize ? requests.shift() : undefined;
    if (request === 'clear') {
      item = undefined;
      return [];
    }
    const isComplete = request === 'commit' || (byPauses && event.speech_final);
    const text = joinText(current.finals);
    return [...delta(current, text), ...(isComplete ? complete(current, text, event.end) : [])];
  }

  function delta(current: Item, text: string): object[] {
    if (!text.startsWith(current.sent) || text.length === current.sent.length) return [];
    const added = text.slice(current.sent.length);
    current.sent = text;
    return [
      openaiEvent('conversation.item.input_audio_transcription.delta', {
        item_id: current.id,
        content_index: 0,
        delta: added,
      }),
    ];
  }

  function complete(current: Item, transcript: string, endSeconds: number): object[] {
    item = undefined;
    const stopped = openaiEvent('input_audio_buffer.speech_stopped', {
      audio_end_ms: Math.round(endSeconds * 1000),
      item_id: current.id,
    });
    const seconds = Math.max(0, Math.round((endSeconds - current.startSeconds) * 1000) / 1000);
    return [
      ...(byPauses && !current.isCommitted ? [stopped] : []),
      ...committed(current),
      openaiEvent('conversation.item.input_audio_transcription.completed', {
        item_id: current.id,
        content_index: 0,
        transcript,
        usage: { type: 'duration', seconds },
      }),
      openaiEvent('conversation.item.done', {
        previous_item_id: current.previousId,
        item: itemOf(current, transcript),
      }),
    ];
  }

  function committed(current: Item): object[] {
    if (current.isCommitted) return [];
    current.isCommitted = true;
    const { previousId: previous_item_id } = current;
    previousId = current.id;
    const added = { previous_item_id, item: itemOf(current, null) };
    return [
      openaiEvent('input_audio_buffer.committed', { previous_item_id, item_id: current.id }),
      openaiEvent('conversation.item.added', added),
      openaiEvent('conversation.item.created', added),
    ];
  }
}

function itemOf({ id }: Item, transcript: string | null): object {
  const content = [{ type: 'input_audio', transcript }];
  return { id, object: 'realtime.item', type: 'message', status: 'completed', role: 'user', content };
}

export function openaiEvent(type: string, fields: object): object {
  return { type, event_id: openaiId('event'), ...fields };
}

/** OpenAI's own ids have about 25 characters. */
const maxEventIdLength = 512;

export function openaiError(
  { message, type, code, param }: { message: string; type: string; code: string; param?: string | undefined },
  clientEventId?: unknown,
): object {
  const isRepeated = typeof clientEventId === 'string' && clientEventId.length <= maxEventIdLength;
  const event_id = isRepeated ? clientEventId : null;
  return openaiEvent('error', { error: { type, code, message, param: param ?? null, event_id } });
}

function openaiId(kind: string): string {
  return `${kind}_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
}
