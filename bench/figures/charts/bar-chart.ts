import { axisTicks, chartWidth, drawingTopBelow, frameChart } from './chart-frame.ts';
import { element, svgText } from './svg.ts';

export type Bar = { series: string; value: number; interval?: readonly [number, number] };
export type BarGroup = { label: string; bars: Bar[] };
export type BarChart = {
  title: string;
  axis: string;
  source: string;
  groups: BarGroup[];
  /** Bars beyond it are cut off there and say so. */
  most?: number;
};

const left = 190;
const right = 70;
const barHeight = 13;
const groupGap = 12;
const axisHeight = 22;

/** Groups of horizontal bars, one colour a series. */
export function drawBarChart({ title, axis, source, groups, most }: BarChart): string {
  const series = [...new Set(groups.flatMap(({ bars }) => bars.map((bar) => bar.series)))];
  const largest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const ticks = axisTicks(Math.min(largest, most ?? largest));
  const end = ticks.at(-1)!;
  const x = (value: number) => left + (Math.min(value, end) / end) * (chartWidth - left - right);
  const drawingTop = drawingTopBelow(series);
  const heights = groups.map(({ bars }) => bars.length * (barHeight + 2) + groupGap);
  const tops = heights.map((_, index) => drawingTop + sum(heights.slice(0, index)));
  const bottom = drawingTop + sum(heights);
  const drawing = [
    ...ticks.flatMap((tick) => [
      element('line', { class: 'grid', x1: x(tick), x2: x(tick), y1: drawingTop - 4, y2: bottom }),
      svgText(String(tick), { class: 'soft', x: x(tick), y: bottom + 16, 'text-anchor': 'middle' }),
    ]),
    ...groups.flatMap((group, index) => drawGroup(group, tops[index]!, x, end, series)),
  ];
  return frameChart(
    { title, axis, source, series, drawingHeight: bottom - drawingTop + axisHeight },
    drawing,
  );
}

function drawGroup(
  { label, bars }: BarGroup,
  top: number,
  x: (value: number) => number,
  end: number,
  series: readonly string[],
): string[] {
  const middle = top + (bars.length * (barHeight + 2)) / 2 + 4;
  const drawn = bars.flatMap(({ series: name, value, interval }, row) => {
    const y = top + row * (barHeight + 2);
    const kind = `series-${series.indexOf(name)}`;
    const spread = interval && value <= end ? [spreadLine(interval, y + barHeight / 2, x)] : [];
    const labelAt = Math.max(x(value), interval && value <= end ? x(interval[1]) : 0) + 6;
    return [
      element('rect', { class: kind, x: x(0), y, width: Math.max(1, x(value) - x(0)), height: barHeight }),
      ...spread,
      svgText(value > end ? `${value} →` : String(value), { x: labelAt, y: y + barHeight - 2 }),
    ];
  });
  return [svgText(label, { x: left - 10, y: middle, 'text-anchor': 'end' }), ...drawn];
}

function spreadLine([low, high]: readonly [number, number], y: number, x: (value: number) => number): string {
  return element('line', { class: 'spread', x1: x(low), x2: x(high), y1: y, y2: y });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
