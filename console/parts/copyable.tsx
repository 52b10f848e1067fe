import { useState } from 'preact/hooks';
import { useSpeech } from '../words/speech.tsx';

/** Text to take along, with a button that does so. */
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

export function CopyButton({ text }: { text: string }) {
  const { say } = useSpeech();
  const [said, setSaid] = useState<'copy' | 'copied' | 'copyFailed'>('copy');
  const copy = async () => {
    setSaid(
      await navigator.clipboard.writeText(text).then(
        () => 'copied' as const,
        () => 'copyFailed' as const,
      ),
    );
    setTimeout(() => setSaid('copy'), 3000);
  };
  return (
    <button type="button" class="copy" onClick={() => void copy()}>
      <span aria-live="polite">{say(said)}</span>
    </button>
  );
}

/** A key or secret that is shown this once. */
export function ShownOnce({ text, sentence, onDone }: { text: string; sentence: string; onDone(): void }) {
  const { say } = useSpeech();
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
