import { useEffect } from 'preact/hooks';
import type { ServiceView } from '../../wire/console.ts';
import { ask } from '../console-api.ts';
import { Heading } from '../parts/heading.tsx';
import { useLoaded, WhenLoaded } from '../parts/loaded.tsx';
import { useTranslation } from '../words/translation.tsx';

const refreshMs = 5_000;

export function OperatorPage() {
  const { say } = useTranslation();
  const view = useLoaded(() => ask<ServiceView>('GET', '/operator'), []);
  const { reload } = view;
  useEffect(() => {
    const timer = setInterval(() => void reload(), refreshMs);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <>
      <Heading title={say('operator')} intro={say('operatorIntro')} />
      <WhenLoaded loaded={view}>
        {(now) => (
          <>
            <Figures view={now} />
            <Errors errors={now.errors} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

function Figures({ view }: { view: ServiceView }) {
  const { say, number, date, time } = useTranslation();
  const megabytes = (bytes: number) => `${number(bytes / 1e6)} MB`;
  const factor = view.realTimeFactor;
  const figures: [string, string, string?][] = [
    [say('workers'), number(view.processes)],
    [say('busy'), number(view.busySlots)],
    [say('queue'), number(view.queued)],
    [say('streams'), number(view.openStreams)],
    [say('realTimeFactor'), factor === null ? '–' : number(factor, 2), say('realTimeHelp')],
    [
      say('transcribed'),
      number(view.transcriptions),
      say('transcribedDetail', {
        count: number(view.transcriptions),
        minutes: number(view.audioSeconds / 60, 1),
      }),
    ],
    [
      say('memory'),
      megabytes(view.rssBytes + view.serviceMemoryBytes),
      say('memoryDetail', {
        service: megabytes(view.serviceMemoryBytes),
        recognition: megabytes(view.rssBytes),
      }),
    ],
    [say('restarts'), number(view.restarts)],
  ];
  return (
    <>
      <p class="quiet">{say('upSince', { date: `${date(view.startedAt)} ${time(view.startedAt)}` })}</p>
      <dl class="figures">
        {figures.map(([name, value, detail]) => (
          <div key={name} class="card">
            <dt>{name}</dt>
            <dd>{value}</dd>
            {detail && <dd class="quiet">{detail}</dd>}
          </div>
        ))}
      </dl>
    </>
  );
}

function Errors({ errors }: Pick<ServiceView, 'errors'>) {
  const { say, number, time } = useTranslation();
  return (
    <section>
      <h2>{say('recentErrors')}</h2>
      {errors.length === 0 && <p class="empty">{say('noErrors')}</p>}
      <ul class="rows">
        {errors.map(({ code, count, lastAt }) => (
          <li key={code} class="card row">
            <code>{code}</code>
            <span class="quiet">{say('errorCount', { count: number(count), time: time(lastAt) })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
