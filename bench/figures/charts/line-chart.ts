import { axisTicks, chartWidth, drawingTopBelow, frameChart } from './chart-frame.ts';
import { element, svgText } from './svg.ts';

export type Line = { series: string; points: { x: number; y: number }[] };
export type LineChart = {
  title: string;
  axis: string;
  source: string;
  xAxis: string;
  lines: Line[];
  goal?: number;
  /** Where the axis begins. */
  from?: number;
};

const left = 60;
const right = 60;
const plotHeight = 220;

/** Lines over an axis whose steps double, one colour a series; a dashed line is what was asked for. */
export function drawLineChart({ title, axis, source, xAxis, lines, goal, from = 0 }: LineChart): string {
  const points = lines.flatMap((line) => line.points);
  const places = [...new Set(points.map(({ x }) => x))].sort((one, other) => one - other);
  const ticks = axisTicks(Math.max(goal ?? 0, ...points.map(({ y }) => y)), from);
  const series = lines.map((line) => line.series);
  const drawingTop = drawingTopBelow(series);
  const bottom = drawingTop + plotHeight;
  const span = Math.log2(places.at(-1)! / places[0]!) || 1;
  const x = (value: number) => left + (Math.log2(value / places[0]!) / span) * (chartWidth - left - right);
  const [lowest, highest] = [ticks[0]!, ticks.at(-1)!];
  const y = (value: number) => bottom - ((value - lowest) / (highest - lowest)) * plotHeight;
  const drawing = [
    ...ticks.flatMap((tick) => [
      element('line', { class: 'grid', x1: left, x2: chartWidth - right, y1: y(tick), y2: y(tick) }),
      svgText(String(tick), { class: 'soft', x: left - 8, y: y(tick) + 4, 'text-anchor': 'end' }),
    ]),
    ...places.map((place) =>
      svgText(String(place), { class: 'soft', x: x(place), y: bottom + 18, 'text-anchor': 'middle' }),
    ),
    svgText(xAxis, { class: 'soft', x: chartWidth / 2, y: bottom + 38, 'text-anchor': 'middle' }),
    ...(goal === undefined
      ? []
      : [element('line', { class: 'goal', x1: left, x2: chartWidth - right, y1: y(goal), y2: y(goal) })]),
    ...lines.flatMap((line, index) => drawLine(line, index, x, y)),
  ];
  return frameChart({ title, axis, source, series, drawingHeight: plotHeight + 42 }, drawing);
}

function drawLine(
  { points }: Line,
  index: number,
  x: (value: number) => number,
  y: (value: number) => number,
): string[] {
  const sorted = [...points].sort((one, other) => one.x - other.x);
  const last = sorted.at(-1)!;
  const path = sorted.map((point) => `${Math.round(x(point.x))},${Math.round(y(point.y))}`).join(' ');
  return [
    element('polyline', { class: `series-${index} line`, points: path }),
    ...sorted.map((point) =>
      element('circle', { class: `series-${index}`, cx: x(point.x), cy: y(point.y), r: 4 }),
    ),
    svgText(String(last.y), { x: x(last.x) + 8, y: y(last.y) + 5 }),
  ];
}
