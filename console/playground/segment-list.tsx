import type { TranscriptSegment } from '../../client/siann.ts';
import { speakerNumber } from '../../wire/speaker-number.ts';
import { useTranslation } from '../words/translation.tsx';
import { clockOf } from './times.ts';

/** How many colours there are. Further speakers get the same colours again. */
const colours = 8;

export function SegmentList(props: {
  segments: readonly TranscriptSegment[];
  empty: string;
  onListen(seconds: number): void;
}) {
  const { say } = useTranslation();
  if (props.segments.length === 0) return <p class="segments empty">{props.empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long transcript is scrolled with the keyboard too.
    <div class="segments" role="log" tabIndex={0} aria-label={say('transcript')}>
      <ol>
        {props.segments.map(({ id, start, text, speaker }) => (
          <li key={id}>
            <button
              type="button"
              class="time"
              aria-label={say('playFrom', { time: clockOf(start) })}
              onClick={() => props.onListen(start)}
            >
              {clockOf(start)}
            </button>
            <SpeakerName speaker={speaker} />
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

export function SpeakerName({ speaker }: { speaker: number | undefined }) {
  const { say } = useTranslation();
  if (speaker === undefined) return null;
  return (
    <span class={`speaker speaker-${speaker % colours}`}>
      {say('speaker', { number: speakerNumber(speaker) })}
    </span>
  );
}
