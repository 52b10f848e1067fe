import { useState } from 'preact/hooks';
import type { Environment } from '../../wire/account.ts';
import type { Project, UsageReport } from '../../wire/console.ts';
import { ask } from '../console-api.ts';
import { DayChart } from '../parts/day-chart.tsx';
import { Choice } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { useLoaded, WhenLoaded } from '../parts/loaded.tsx';
import { useTranslation } from '../words/translation.tsx';

type Period = 'thisMonth' | 'last30' | 'last90';

export function UsagePage({ project }: { project: Project }) {
  const { say } = useTranslation();
  const [period, setPeriod] = useState<Period>('thisMonth');
  const [environment, setEnvironment] = useState<Environment | 'all'>('all');
  const query = new URLSearchParams(rangeOf(period)).toString();
  const report = useLoaded(
    () => ask<UsageReport>('GET', `/projects/${project.id}/usage?${query}`),
    [project.id, query],
  );
  return (
    <>
      <Heading title={say('usage')} intro={say('usageIntro')}>
        <a class="button" href={`/console/api/projects/${project.id}/usage.csv?${query}`} download>
          {say('downloadCsv')}
        </a>
      </Heading>
      <div class="filters">
        <Choice<Period>
          label={say('period')}
          value={period}
          onValue={setPeriod}
          options={[
            ['thisMonth', say('thisMonth')],
            ['last30', say('last30')],
            ['last90', say('last90')],
          ]}
        />
        <Choice<Environment | 'all'>
          label={say('environment')}
          value={environment}
          onValue={setEnvironment}
          options={[
            ['all', say('all')],
            ['live', say('live')],
            ['test', say('test')],
          ]}
        />
      </div>
      <WhenLoaded loaded={report}>
        {({ from, to, keys }) => {
          const wanted = keys.filter(({ key }) => environment === 'all' || key.environment === environment);
          return (
            <>
              <Totals keys={wanted} />
              <DayChart from={from} to={to} keys={wanted} />
              <ByKey keys={wanted.filter(({ key, requests }) => !key.revokedAt || requests > 0)} />
            </>
          );
        }}
      </WhenLoaded>
    </>
  );
}

function Totals({ keys }: Pick<UsageReport, 'keys'>) {
  const { say, number } = useTranslation();
  const total = (of: (entry: UsageReport['keys'][number]) => number) =>
    keys.reduce((sum, entry) => sum + of(entry), 0);
  return (
    <dl class="figures">
      <div class="card">
        <dt>{say('minutes')}</dt>
        <dd>
          {number(
            total(({ minutes }) => minutes),
            2,
          )}
        </dd>
      </div>
      <div class="card">
        <dt>{say('requests')}</dt>
        <dd>{number(total(({ requests }) => requests))}</dd>
      </div>
    </dl>
  );
}

function ByKey({ keys }: Pick<UsageReport, 'keys'>) {
  const { say, number } = useTranslation();
  return (
    <section>
      <h2>{say('byKey')}</h2>
      {keys.length === 0 && <p class="empty">{say('noKeys')}</p>}
      <ul class="rows">
        {keys.map(({ key, minutes, requests, quota, remaining }) => {
          const used = quota === null || remaining === null ? undefined : quota - remaining;
          const quotaText =
            used === undefined
              ? say('ofUnlimited', { used: number(minutes, 2) })
              : say('ofQuota', { used: number(used, 2), quota: number(quota!) });
          return (
            <li key={key.id} class="card">
              <h3>
                {key.name} <span class="badge">{say(key.environment)}</span>
              </h3>
              <p>{say('minutesAndRequests', { minutes: number(minutes, 2), requests: number(requests) })}</p>
              {used !== undefined && <meter aria-label={quotaText} min={0} max={quota!} value={used} />}
              <p class="quiet">{quotaText}</p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function rangeOf(period: Period): { from: string; to: string } {
  const today = new Date().toISOString().slice(0, 10);
  if (period === 'thisMonth') return { from: `${today.slice(0, 7)}-01`, to: today };
  const days = period === 'last30' ? 29 : 89;
  const from = new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10);
  return { from, to: today };
}
