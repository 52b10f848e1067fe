import { useEffect, useRef, useState } from 'preact/hooks';
import type { TranscriptSegment } from '../../client/siann.ts';
import type { Project } from '../../wire/console.ts';
import { Heading } from '../parts/heading.tsx';
import { Failure } from '../parts/loaded.tsx';
import { SampleTabs } from '../parts/samples.tsx';
import { type TranscriptionChoice, transcriptionSamples } from '../samples/transcription.ts';
import { useTranslation } from '../words/translation.tsx';
import { Choices } from './choices.tsx';
import { Downloads } from './downloads.tsx';
import { DropZone } from './drop-zone.tsx';
import { withPlaygroundClient } from './playground-client.ts';
import { SegmentList } from './segment-list.tsx';
import { clockOf } from './times.ts';
import { Waveform } from './waveform.tsx';

type Run = {
  file: File;
  url: string;
  segments: TranscriptSegment[];
  state: 'working' | 'done' | 'stopped';
  error?: unknown;
  /** The length of the audio, and how long its transcript took. */
  seconds?: { audio: number; waited: number };
};

export function FilesPage({ project }: { project: Project | undefined }) {
  const { say } = useTranslation();
  const [choice, setChoice] = useState<TranscriptionChoice>({ language: 'mixed', speakers: false });
  const { run, transcribe, stop } = useFileTranscription(project);
  const player = useRef<HTMLAudioElement>(null);
  const listen = (seconds: number) => {
    if (!player.current) return;
    player.current.currentTime = seconds;
    void player.current.play().catch(() => {});
  };

  return (
    <>
      <Heading title={say('files')} intro={say('filesIntro')} />
      {!project && <p class="empty">{say('needProject')}</p>}
      {project && (
        <>
          <Choices choice={choice} disabled={run?.state === 'working'} onChoice={setChoice} />
          <DropZone disabled={run?.state === 'working'} onFile={(file) => void transcribe(file, choice)} />
        </>
      )}
      <section class="transcript-box" aria-label={say('transcript')}>
        <div class="status" role="status">
          {run?.state === 'working' && (
            <>
              <progress aria-label={say('transcribing', { name: run.file.name })} />
              <span>{say('transcribing', { name: run.file.name })}</span>
              <button type="button" onClick={stop}>
                {say('stop')}
              </button>
            </>
          )}
          {run?.seconds && (
            <span>
              {say('doneIn', {
                audio: clockOf(run.seconds.audio),
                time: `${run.seconds.waited.toFixed(1)} s`,
              })}
            </span>
          )}
        </div>
        {run && (
          <>
            <Waveform file={run.file} player={player} onSeek={listen} />
            {/* biome-ignore lint/a11y/useMediaCaption: the transcript is shown below it. */}
            <audio ref={player} src={run.url} controls />
          </>
        )}
        <Failure error={run?.error} />
        <SegmentList
          segments={run?.segments ?? []}
          empty={run?.state === 'done' ? say('nothingHeard') : say('transcriptEmpty')}
          onListen={listen}
        />
        {run?.state === 'done' && run.segments.length > 0 && (
          <Downloads name={run.file.name} segments={run.segments} duration={run.seconds?.audio ?? 0} />
        )}
      </section>
      <SampleTabs samples={transcriptionSamples(`${location.origin}/v1`, choice)} />
    </>
  );
}

function useFileTranscription(project: Project | undefined) {
  const [run, setRun] = useState<Run>();
  const controller = useRef<AbortController>(undefined);
  const url = run?.url;
  useEffect(() => () => URL.revokeObjectURL(url ?? ''), [url]);
  useEffect(() => () => controller.current?.abort(), []);

  const transcribe = async (file: File, { language, speakers }: TranscriptionChoice) => {
    if (!project) return;
    controller.current = new AbortController();
    const { signal } = controller.current;
    const startedAt = performance.now();
    const change = (values: Partial<Run>) => setRun((before) => before && { ...before, ...values });
    setRun({ file, url: URL.createObjectURL(file), segments: [], state: 'working' });
    try {
      await withPlaygroundClient(project.id, async (siann) => {
        const transcription = siann.transcribe(file, { language, speakerDiarization: speakers, signal });
        const segments: TranscriptSegment[] = [];
        for await (const segment of transcription) {
          segments.push(segment);
          change({ segments: [...segments] });
        }
        const { duration } = await transcription;
        const seconds = { audio: duration, waited: (performance.now() - startedAt) / 1000 };
        change({ state: 'done', seconds });
      });
    } catch (error) {
      change(signal.aborted ? { state: 'stopped' } : { state: 'stopped', error });
    }
  };
  return { run, transcribe, stop: () => controller.current?.abort() };
}
