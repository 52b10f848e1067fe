import { type BarGroup, drawBarChart } from '../charts/bar-chart.ts';
import { drawLineChart } from '../charts/line-chart.ts';
import { columnOf, isOfSet, measureOf, setOf, weightsOf } from './accuracy-tables.ts';
import { architecturesOf, type Measured, unique } from './measured.ts';

/** The pictures of the page by their names; one without figures is not drawn. */
export function drawPageCharts(rows: readonly Measured[]): Map<string, string> {
  const charts: [string, string | undefined][] = [
    ['speed', speedChart(rows)],
    ['accuracy', accuracyChart(rows)],
    ['live', liveChart(rows)],
    ['scaling', scalingChart(rows)],
  ];
  return new Map(charts.filter((chart): chart is [string, string] => chart[1] !== undefined));
}

function speedChart(rows: readonly Measured[]): string | undefined {
  const own = rows.filter(
    ({ bench, id, options }) => bench === 'speed' && id.startsWith('realTimeFactor/') && !options,
  );
  const groups = architecturesOf(own).map((architecture) => ({
    label: architecture,
    bars: own.filter((row) => row.architecture === architecture).map((row) => bar(row.series!, row)),
  }));
  if (groups.length === 0) return undefined;
  const axis = 'seconds for one second of audio, less is better';
  const source = processorsOf(own);
  return drawBarChart({ title: 'A file of ten minutes, model small', axis, source, groups });
}

function accuracyChart(rows: readonly Measured[]): string | undefined {
  const own = rows.filter((row) => row.bench === 'accuracy' && isOfSet(row) && weightsOf(row) !== undefined);
  const columns = unique(own.map(columnOf)).filter((column) => !column.startsWith('whisper.cpp'));
  const groups: BarGroup[] = unique(own.map(setOf))
    .sort()
    .map((set) => {
      const ofSet = own.filter((row) => setOf(row) === set);
      const bars = columns.flatMap((column) => {
        const measures = ofSet.filter((row) => columnOf(row) === column);
        const folded = measures.find((row) => measureOf(row) === 'folded');
        const shown = folded ?? measures.find((row) => measureOf(row) === 'error');
        return shown ? [bar(column, shown)] : [];
      });
      return { label: set, bars };
    });
  if (groups.length === 0) return undefined;
  const title = 'Errors by set, model small, numbers folded';
  const axis =
    'per cent of characters (Han) and words (Latin), less is better; a thin line is the 95 % interval';
  return drawBarChart({ title, axis, source: processorsOf(own), groups, most: 30 });
}

const liveMeasures = {
  'final-p50': 'final, p50',
  'final-p95': 'final, p95',
  'partial-p50': 'first partial, p50',
  'partial-p95': 'first partial, p95',
};

function liveChart(rows: readonly Measured[]): string | undefined {
  const own = rows.filter(
    ({ bench, id, options }) => bench === 'realtime' && id.startsWith('latency/') && !options,
  );
  const groups = Object.entries(liveMeasures).map(([name, label]) => ({
    label,
    bars: own
      .filter(({ id }) => id.startsWith(`latency/${name}/`))
      .sort((one, other) => one.architecture.localeCompare(other.architecture) || one.at! - other.at!)
      .map((row) => bar(`${row.series}, ${row.architecture}`, row)),
  }));
  if (groups.every(({ bars }) => bars.length === 0)) return undefined;
  const title = 'Live captions: when text comes, model small';
  const axis = 'seconds after the pause (final) or after speech begins (partial), less is better';
  return drawBarChart({ title, axis, source: processorsOf(own), groups });
}

function scalingChart(rows: readonly Measured[]): string | undefined {
  const own = rows.filter(
    ({ bench, id }) => bench === 'cluster' && (id.startsWith('scheduler/') || id.startsWith('scale/')),
  );
  if (own.length === 0) return undefined;
  const nameOf = ({ id, what, options, architecture }: Measured) => {
    const cost = what.match(/take ([\d.]+ s) each/)?.[1];
    const subject = id.startsWith('scale/')
      ? `a file${options ? `, ${options.slice(8)}` : ', small'}`
      : `windows of ${cost}`;
    return `${subject}, ${architecture}`;
  };
  const lines = unique(own.map(nameOf)).map((series) => ({
    series,
    points: own
      .filter((row) => nameOf(row) === series)
      .map(({ at, value }) => ({ x: at!, y: Number(value) })),
  }));
  const title = 'More workers: share of linear gain';
  return drawLineChart({
    title,
    axis: 'per cent, more is better; dashed: what is asked for',
    source: processorsOf(own),
    xAxis: 'workers',
    lines,
    goal: 90,
    from: 70,
  });
}

function bar(series: string, { value, interval }: Measured) {
  return { series, value: Number(value), ...(interval && { interval }) };
}

/** A time means nothing without the processor that it was taken on. */
function processorsOf(rows: readonly Measured[]): string {
  return unique(
    rows.map(
      ({ architecture, processor }) => `${architecture}: ${processor.model}, ${processor.cores} cores`,
    ),
  ).join('; ');
}
