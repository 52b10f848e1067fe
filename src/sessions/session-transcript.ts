import type { RecognitionEvent } from '../speech/live/stream-recogniser.ts';
import type { SpeakerTracker } from '../speech/speakers/speaker-tracker.ts';
import type { QueuedEvent } from './event-queue.ts';

export type SessionTranscript = {
  hear(heard: RecognitionEvent): void;
  /** An answer to `finalize` when there was nothing to make final. */
  answerFinalize(atSeconds: number): void;
  /** Resolves when everything heard has been said. */
  settled(): Promise<void>;
  /** Finals said so far that answered a `finalize`. */
  readonly finalized: number;
};

type Options = {
  words: boolean;
  speakers: SpeakerTracker | undefined;
  say(event: QueuedEvent): void;
};

type Final = Extract<RecognitionEvent, { type: 'final' }>;

/** Numbers the segments of a stream and writes what is heard as its events. */
export function createSessionTranscript({ words, speakers, say }: Options): SessionTranscript {
  let segmentId = 0;
  let partialShown = false;
  let unfinished = false;
  let finalized = 0;
  let last: Promise<unknown> = Promise.resolve();
  const labelled: { segmentId: number; startSeconds: number; endSeconds: number }[] = [];

  /** Without speakers nothing is waited for; with them everything keeps its order. */
  const inTurn = (work: () => Promise<void> | void) => {
    if (speakers) last = last.then(work).catch(() => {});
    else void work();
  };

  const write = (heard: Exclude<RecognitionEvent, { type: 'speech_started' }>, speaker?: number) => {
    const final = heard.type === 'final' ? heard : undefined;
    say({
      type: 'transcript',
      segment_id: segmentId,
      is_final: final !== undefined,
      speech_final: final?.speechFinal ?? false,
      from_finalize: final?.fromFinalize ?? false,
      start: rounded(heard.startSeconds),
      end: rounded(heard.endSeconds),
      text: heard.text,
      language: heard.language,
      ...(speaker !== undefined && { speaker }),
      ...(words &&
        final && {
          words: heard.words.map(({ text, startSeconds, endSeconds }) => ({
            word: text,
            start: rounded(startSeconds),
            end: rounded(endSeconds),
          })),
        }),
    });
  };

  const writeFinal = async (final: Final) => {
    if (final.fromFinalize) finalized++;
    // Empty ones only where somebody waits for them: to take a partial back, to end what was said, to answer.
    if (final.text === '' && !partialShown && !final.fromFinalize && !(final.speechFinal && unfinished))
      return;
    const speaker = speakers && final.text !== '' ? await label(speakers, final) : undefined;
    write(final, speaker);
    unfinished = !final.speechFinal;
    partialShown = false;
    segmentId++;
    if (speakers) sayRevisions(speakers);
  };

  const label = async (tracker: SpeakerTracker, { audio, startSeconds, endSeconds }: Final) => {
    await tracker.add(audio, startSeconds);
    labelled.push({ segmentId, startSeconds, endSeconds });
    return tracker.labelOf(startSeconds, endSeconds);
  };

  const sayRevisions = (tracker: SpeakerTracker) => {
    const revisions = tracker.revisions().flatMap(({ startSeconds, endSeconds, speaker }) => {
      const segment = labelled.find(
        (each) => each.startSeconds === startSeconds && each.endSeconds === endSeconds,
      );
      return segment ? [{ segment_id: segment.segmentId, speaker }] : [];
    });
    if (revisions.length > 0) say({ type: 'speaker.revision', revisions });
  };

  return {
    hear(heard) {
      inTurn(() => {
        if (heard.type === 'final') return writeFinal(heard);
        if (heard.type === 'speech_started') say({ type: 'speech.started', at: rounded(heard.atSeconds) });
        else {
          partialShown = true;
          write(heard);
        }
      });
    },
    answerFinalize(atSeconds) {
      const nothing = { startSeconds: atSeconds, endSeconds: atSeconds, text: '', words: [] };
      const final = { speechFinal: true, fromFinalize: true, audio: new Float32Array(0) };
      inTurn(() => writeFinal({ type: 'final', ...final, ...nothing, language: 'zh' }));
    },
    async settled() {
      await last;
    },
    get finalized() {
      return finalized;
    },
  };
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
