import { type TranscriptSegment, toSrt, toVtt } from '../../client/siann.ts';
import { useTranslation } from '../words/translation.tsx';

type Props = { name: string; segments: readonly TranscriptSegment[]; duration: number };

export function Downloads({ name, segments, duration }: Props) {
  const { say } = useTranslation();
  const text = segments.map((segment) => segment.text).join('\n');
  const contents = {
    json: () => JSON.stringify({ task: 'transcribe', duration, text, segments }, null, 2),
    srt: () => toSrt(segments),
    vtt: () => toVtt(segments),
    txt: () => `${text}\n`,
  };
  return (
    <fieldset class="buttons downloads">
      <legend>{say('download')}</legend>
      {Object.entries(contents).map(([extension, content]) => (
        <button
          key={extension}
          type="button"
          onClick={() => save(`${name.replace(/\.[^.]+$/, '')}.${extension}`, content())}
        >
          {extension}
        </button>
      ))}
    </fieldset>
  );
}

function save(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'text/plain;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
