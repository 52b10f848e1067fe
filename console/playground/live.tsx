import { useEffect, useRef, useState } from 'preact/hooks';
import type { Project } from '../../wire/console.ts';
import { Heading } from '../parts/heading.tsx';
import { Failure } from '../parts/loaded.tsx';
import { SampleTabs } from '../parts/samples.tsx';
import { liveSamples } from '../samples/live.ts';
import type { TranscriptionChoice } from '../samples/transcription.ts';
import type { Word } from '../words/english.ts';
import { useTranslation } from '../words/translation.tsx';
import { Choices } from './choices.tsx';
import { type Caption, useLiveCaptions } from './live-captions.ts';
import { SpeakerName } from './segment-list.tsx';

const stateWords: Record<string, Word> = {
  connecting: 'connecting',
  listening: 'listening',
  reconnecting: 'reconnecting',
};

export function LivePage({ project }: { project: Project | undefined }) {
  const { say, number } = useTranslation();
  const [choice, setChoice] = useState<TranscriptionChoice>({ language: 'mixed', speakers: false });
  const { live, start, stop } = useLiveCaptions(project);
  const isOn = live.state !== 'off';
  const stateWord = stateWords[live.state];

  return (
    <>
      <Heading title={say('liveCaptions')} intro={say('liveIntro')} />
      {!project && <p class="empty">{say('needProject')}</p>}
      {project && <Choices choice={choice} disabled={isOn} onChoice={setChoice} />}
      <section class="transcript-box" aria-label={say('transcript')}>
        <div class="status">
          <button
            type="button"
            class={isOn ? 'danger' : 'primary'}
            disabled={!project}
            onClick={() => void (isOn ? stop() : start(choice))}
          >
            {say(isOn ? 'finish' : 'start')}
          </button>
          <span role="status">{stateWord && say(stateWord)}</span>
          {isOn && <meter aria-label={say('level')} min={0} max={1} value={live.level} />}
          {live.behindSeconds !== undefined && (
            <span class="badge" title={say('behindHelp')}>
              {say('behind', { seconds: number(live.behindSeconds, 1) })}
            </span>
          )}
        </div>
        {live.problem === 'denied' && <Problem text={say('microphoneDenied')} />}
        {live.problem === 'missing' && <Problem text={say('microphoneMissing')} />}
        <Failure error={live.error} />
        <Captions captions={live.captions} empty={say('captionsEmpty')} />
      </section>
      <SampleTabs samples={liveSamples(`${location.origin}/v1`, choice)} />
    </>
  );
}

function Problem({ text }: { text: string }) {
  return (
    <div class="failure" role="alert">
      <p>{text}</p>
    </div>
  );
}

function Captions({ captions, empty }: { captions: readonly Caption[]; empty: string }) {
  const { say } = useTranslation();
  const list = useRef<HTMLDivElement>(null);
  const last = captions.at(-1)?.text;
  useEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [last, captions.length]);
  if (captions.length === 0) return <p class="segments empty">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long captions are scrolled with the keyboard too.
    <div class="segments captions" ref={list} role="log" tabIndex={0} aria-label={say('transcript')}>
      <ol>
        {captions.map(({ id, text, final, speaker }) => (
          <li key={id} class={final ? '' : 'partial'}>
            <SpeakerName speaker={speaker} />
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
