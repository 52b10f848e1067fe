import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { UsageReport } from '../../wire/console.ts';
import { useTranslation } from '../words/translation.tsx';

const dayMs = 86_400_000;
const height = 220;

/** The minutes of each day as bars, and as a table for people who cannot see the bars. */
export function DayChart({ from, to, keys }: UsageReport) {
  const { say, number } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const days = daysOf({ from, to, keys });
  const isEmpty = days.every(({ minutes }) => minutes === 0);
  const text = JSON.stringify(days);

  useEffect(() => {
    const parent = box.current;
    if (isEmpty || !parent) return;
    const style = getComputedStyle(parent);
    const stroke = style.getPropertyValue('--quiet');
    const axis = { stroke, grid: { show: false }, ticks: { show: false } };
    const plot = new uPlot(
      {
        width: parent.clientWidth,
        height,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: true }, y: { range: (_plot, _low, high) => [0, Math.max(high, 0.01) * 1.1] } },
        axes: [axis, { ...axis, size: 56 }],
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
        series: [
          {},
          {
            fill: style.getPropertyValue('--accent'),
            width: 0,
            points: { show: false },
            paths: uPlot.paths.bars!({ size: [0.7, 40] }),
          },
        ],
      },
      [days.map(({ date }) => Date.parse(date) / 1000), days.map(({ minutes }) => minutes)],
      parent,
    );
    const resizing = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height }));
    resizing.observe(parent);
    return () => {
      resizing.disconnect();
      plot.destroy();
    };
  }, [text, isEmpty]);

  return (
    <section>
      <h2>{say('minutesByDay')}</h2>
      {isEmpty ? (
        <p class="empty">{say('noUsage')}</p>
      ) : (
        <>
          <div ref={box} class="chart" aria-hidden="true" />
          <table class="hidden">
            <caption>{say('minutesByDay')}</caption>
            <tbody>
              {days
                .filter(({ minutes }) => minutes > 0)
                .map(({ date, minutes }) => (
                  <tr key={date}>
                    <th scope="row">{date}</th>
                    <td>{number(minutes, 2)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}

/** Every day of the period, including days without usage. */
function daysOf({ from, to, keys }: UsageReport): { date: string; minutes: number }[] {
  const minutesOf = new Map<string, number>();
  for (const { daily } of keys)
    for (const { date, minutes } of daily) minutesOf.set(date, (minutesOf.get(date) ?? 0) + minutes);
  const count = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  return Array.from({ length: count }, (_, index) => {
    const date = new Date(Date.parse(from) + index * dayMs).toISOString().slice(0, 10);
    return { date, minutes: minutesOf.get(date) ?? 0 };
  });
}
