import { useState } from 'preact/hooks';
import { useTranslation } from '../words/translation.tsx';

/** The area where the user drops or chooses a recording. */
export function DropZone({ disabled, onFile }: { disabled: boolean; onFile(file: File): void }) {
  const { say } = useTranslation();
  const [over, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file && !disabled) onFile(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is for the mouse; the button does the same.
    <div
      class={over ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <p>{say('dropFile')}</p>
      <label class={disabled ? 'button disabled' : 'button primary'}>
        {say('chooseFile')}
        <input
          type="file"
          class="hidden"
          accept="audio/*,video/webm,.mp3,.wav,.webm,.flac,.ogg"
          disabled={disabled}
          onChange={(event) => {
            take(event.currentTarget.files);
            // This lets the user choose the same file again.
            event.currentTarget.value = '';
          }}
        />
      </label>
    </div>
  );
}
