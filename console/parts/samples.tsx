import { useId, useState } from 'preact/hooks';
import { useTranslation } from '../words/translation.tsx';
import { Copyable } from './copyable.tsx';

export type Samples = { curl?: string; TypeScript: string; Python: string };

/** Sample programs that do the same as the page, in several programming languages. */
export function SampleTabs({ samples, title }: { samples: Samples; title?: string }) {
  const { say } = useTranslation();
  const names = Object.keys(samples) as (keyof Samples)[];
  const [chosen, choose] = useState<keyof Samples>(names[0]!);
  const id = useId();
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = names[(names.indexOf(chosen) + step + names.length) % names.length]!;
    choose(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };

  return (
    <section class="samples">
      <h2>{title ?? say('sameWith')}</h2>
      <div role="tablist" aria-label={title ?? say('sameWith')} onKeyDown={move}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => choose(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        <Copyable text={samples[chosen] ?? ''} label={chosen} />
      </div>
    </section>
  );
}
