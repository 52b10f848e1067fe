import { useState } from 'preact/hooks';
import { useTranslation } from '../words/translation.tsx';

/** Text with a button that copies it. */
export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <div class="copyable">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard too. */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <CopyButton text={text} />
    </div>
  );
}

function CopyButton({ text }: { text: string }) {
  const { say } = useTranslation();
  const [label, setLabel] = useState<'copy' | 'copied' | 'copyFailed'>('copy');
  const copy = async () => {
    setLabel(
      await navigator.clipboard.writeText(text).then(
        () => 'copied' as const,
        () => 'copyFailed' as const,
      ),
    );
    setTimeout(() => setLabel('copy'), 3000);
  };
  return (
    <button type="button" class="copy" onClick={() => void copy()}>
      <span aria-live="polite">{say(label)}</span>
    </button>
  );
}

/** A key or a secret, which is shown only this once. */
export function ShownOnce({ text, sentence, onDone }: { text: string; sentence: string; onDone(): void }) {
  const { say } = useTranslation();
  return (
    <div class="once" role="status">
      <p>{sentence}</p>
      <Copyable text={text} label={sentence} />
      <button type="button" onClick={onDone}>
        {say('keyKept')}
      </button>
    </div>
  );
}
