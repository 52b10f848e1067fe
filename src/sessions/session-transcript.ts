import { createInOrder } from '../async/in-order.ts';
import type { RecognitionEvent } from '../speech/live/stream-recogniser.ts';
import type { SpeakerTracker } from '../speech/speakers/speaker-tracker.ts';
import type { QueuedEvent } from './event-queue.ts';
import { roundedSeconds } from './rounded-seconds.ts';

export type SessionTranscript = {
  receive(event: RecognitionEvent): void;
  /** An answer to `finalize` when there was nothing to make final. */
  answerFinalize(atSeconds: number): void;
  /** Resolves when everything received has been written. */
  settled(): Promise<void>;
  /** Finals written so far that answered a `finalize`. */
  readonly finalized: number;
};

type Options = {
  words: boolean;
  speakers: SpeakerTracker | undefined;
  emit(event: QueuedEvent): void;
  /** Who spoke could not be told. The text is written all the same. */
  onSpeakerFault(error: unknown): void;
};

type Text = Exclude<RecognitionEvent, { type: 'speech_started' }>;
type Final = Extract<RecognitionEvent, { type: 'final' }>;

/** Numbers the segments of a stream and writes what is recognised as its events. */
export function createSessionTranscript(options: Options): SessionTranscript {
  const { words, speakers, emit, onSpeakerFault } = options;
  const labelled: { segmentId: number; startSeconds: number; endSeconds: number }[] = [];
  const inOrder = createInOrder();
  let segmentId = 0;
  let partialShown = false;
  let unfinished = false;
  let finalized = 0;

  /** Without speakers nothing is waited for; with them everything keeps its order. */
  const receive = (event: RecognitionEvent) => {
    if (!speakers) write(event, undefined);
    else void inOrder(() => writeWithSpeaker(event, speakers));
  };

  const writeWithSpeaker = async (event: RecognitionEvent, tracker: SpeakerTracker) => {
    const speaker = hasText(event) ? await findSpeaker(event, tracker) : undefined;
    const segmentBefore = segmentId;
    write(event, speaker);
    if (segmentId > segmentBefore) writeRevisions(tracker);
  };

  const findSpeaker = async ({ audio, startSeconds, endSeconds }: Final, tracker: SpeakerTracker) => {
    try {
      await tracker.add(audio, startSeconds);
      labelled.push({ segmentId, startSeconds, endSeconds });
      return tracker.labelOf(startSeconds, endSeconds);
    } catch (error) {
      onSpeakerFault(error);
      return undefined;
    }
  };

  const writeRevisions = (tracker: SpeakerTracker) => {
    try {
      const revisions = tracker.revisions().flatMap(({ startSeconds, endSeconds, speaker }) => {
        const segment = labelled.find(
          (each) => each.startSeconds === startSeconds && each.endSeconds === endSeconds,
        );
        return segment ? [{ segment_id: segment.segmentId, speaker }] : [];
      });
      if (revisions.length > 0) emit({ type: 'speaker.revision', revisions });
    } catch (error) {
      onSpeakerFault(error);
    }
  };

  const write = (event: RecognitionEvent, speaker: number | undefined) => {
    if (event.type === 'speech_started')
      emit({ type: 'speech.started', at: roundedSeconds(event.atSeconds) });
    else if (event.type === 'final') writeFinal(event, speaker);
    else {
      partialShown = true;
      writeText(event, speaker);
    }
  };

  const writeFinal = (final: Final, speaker: number | undefined) => {
    if (final.fromFinalize) finalized++;
    // An empty final is written only where one is needed: to replace a partial, to end an utterance, or to answer `finalize`.
    const isAwaited = partialShown || final.fromFinalize || (final.speechFinal && unfinished);
    if (final.text === '' && !isAwaited) return;
    writeText(final, speaker);
    unfinished = !final.speechFinal;
    partialShown = false;
    segmentId++;
  };

  const writeText = (text: Text, speaker: number | undefined) => {
    const final = text.type === 'final' ? text : undefined;
    emit({
      type: 'transcript',
      segment_id: segmentId,
      is_final: final !== undefined,
      speech_final: final?.speechFinal ?? false,
      from_finalize: final?.fromFinalize ?? false,
      start: roundedSeconds(text.startSeconds),
      end: roundedSeconds(text.endSeconds),
      text: text.text,
      language: text.language,
      ...(speaker !== undefined && { speaker }),
      ...(words && final && { words: final.words.map(timedWord) }),
    });
  };

  return {
    receive,
    answerFinalize(atSeconds) {
      const nothing = { startSeconds: atSeconds, endSeconds: atSeconds, text: '', words: [] };
      const final = { speechFinal: true, fromFinalize: true, audio: new Float32Array(0) };
      receive({ type: 'final', ...final, ...nothing, language: 'zh' });
    },
    settled: () => inOrder(() => {}),
    get finalized() {
      return finalized;
    },
  };
}

function hasText(event: RecognitionEvent): event is Final {
  return event.type === 'final' && event.text !== '';
}

function timedWord({ text, startSeconds, endSeconds }: Final['words'][number]) {
  return { word: text, start: roundedSeconds(startSeconds), end: roundedSeconds(endSeconds) };
}
