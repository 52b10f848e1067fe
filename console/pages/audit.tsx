import { useState } from 'preact/hooks';
import type { AuditEntry, AuditPage as Page } from '../../wire/console.ts';
import { ask } from '../console-api.ts';
import { useAction } from '../parts/action.tsx';
import { Heading } from '../parts/heading.tsx';
import { Failure, useLoaded, WhenLoaded } from '../parts/loaded.tsx';
import { useTranslation } from '../words/translation.tsx';

/** Who changed what, when and from where. */
export function AuditPage() {
  const { say } = useTranslation();
  const { busy, error, run } = useAction();
  const first = useLoaded(() => ask<Page>('GET', '/audit'), []);
  const [older, setOlder] = useState<Page[]>([]);
  const loadOlder = (before: string) =>
    run(async () => {
      const page = await ask<Page>('GET', `/audit?before=${encodeURIComponent(before)}`);
      setOlder((pages) => [...pages, page]);
    });
  return (
    <>
      <Heading title={say('audit')} intro={say('auditIntro')} />
      <WhenLoaded loaded={first}>
        {(newest) => {
          const pages = [newest, ...older];
          const entries = pages.flatMap((page) => page.entries);
          const next = pages.at(-1)?.next;
          if (entries.length === 0) return <p class="empty">{say('auditEmpty')}</p>;
          return (
            <>
              <ul class="rows">
                {entries.map((entry) => (
                  <Entry key={entry.id} entry={entry} />
                ))}
              </ul>
              <Failure error={error} />
              {next && (
                <button type="button" disabled={busy} onClick={() => void loadOlder(next)}>
                  {say('auditOlder')}
                </button>
              )}
            </>
          );
        }}
      </WhenLoaded>
    </>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { say, date, time } = useTranslation();
  const { at, actor, source, address, action, target, details } = entry;
  const through =
    source === 'command line' ? say('auditCommandLine') : source === 'service' ? 'Siann' : undefined;
  return (
    <li class="card">
      <h2>
        {say(`audit_${action}`)}
        {target.name && `: ${target.name}`}
      </h2>
      {details && (
        <p>
          {Object.entries(details).map(([name, value]) => (
            <span key={name}>
              <code>{name}</code> {value || '–'}{' '}
            </span>
          ))}
        </p>
      )}
      <p class="quiet">
        <time dateTime={at}>
          {date(at)} {time(at)}
        </time>{' '}
        · {[actor, through, address].filter(Boolean).join(' · ')}
      </p>
    </li>
  );
}
