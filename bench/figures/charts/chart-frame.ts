import { element, svgText } from './svg.ts';

export const chartWidth = 760;
const padding = 20;
const legendTop = 66;
const legendLine = 18;
const sourceHeight = 18;

/**
 * A picture brings its own background, since a reader's page and system may not agree on light or dark. The colours of the series can be
 * told apart by people with any kind of colour blindness (Okabe and Ito).
 */
const style = `
  .card { fill: #ffffff; stroke: #d0d7de; }
  text { fill: #1f2328; font: 13px system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
  .title { font-size: 15px; font-weight: 600; }
  .soft { fill: #59636e; }
  .grid { stroke: #d8dee4; }
  .spread { stroke: #1f2328; stroke-width: 1.5; }
  .goal { stroke: #cf222e; stroke-width: 2; stroke-dasharray: 4 3; }
  .series-0 { fill: #0072b2; stroke: #0072b2; }
  .series-1 { fill: #d97706; stroke: #d97706; }
  .series-2 { fill: #8c959f; stroke: #8c959f; }
  .series-3 { fill: #009e73; stroke: #009e73; }
  .series-4 { fill: #b4489a; stroke: #b4489a; }
  .series-5 { fill: #57606a; stroke: #57606a; }
  .series-6 { fill: #b8a100; stroke: #b8a100; }
  .series-7 { fill: #d55e00; stroke: #d55e00; }
  .line { fill: none; stroke-width: 2.5; }
  @media (prefers-color-scheme: dark) {
    .card { fill: #0d1117; stroke: #30363d; }
    text { fill: #e6edf3; }
    .soft { fill: #9198a1; }
    .grid { stroke: #30363d; }
    .spread { stroke: #e6edf3; }
    .goal { stroke: #ff7b72; }
    .series-0 { fill: #56b4e9; stroke: #56b4e9; }
    .series-1 { fill: #e69f00; stroke: #e69f00; }
    .series-2 { fill: #848d97; stroke: #848d97; }
    .series-3 { fill: #2fbf9b; stroke: #2fbf9b; }
    .series-4 { fill: #cc79a7; stroke: #cc79a7; }
    .series-5 { fill: #b1bac4; stroke: #b1bac4; }
    .series-6 { fill: #f0e442; stroke: #f0e442; }
    .series-7 { fill: #f0883e; stroke: #f0883e; }
    .line { fill: none; }
  }
`;

export type Frame = {
  title: string;
  /** What the axis counts, and which direction is good. */
  axis: string;
  /** On what it was measured. */
  source: string;
  series: readonly string[];
  drawingHeight: number;
};

/** A card with title, unit, legend and the drawing, readable in light and dark. */
export function frameChart(
  { title, axis, source, series, drawingHeight }: Frame,
  drawing: readonly string[],
): string {
  const height = drawingTopBelow(series) + drawingHeight + sourceHeight + padding;
  const parts = [
    `<title>${title.replace(/[&<>]/g, ' ')}</title>`,
    `<style>${style}</style>`,
    element('rect', { class: 'card', x: 0.5, y: 0.5, width: chartWidth - 1, height: height - 1, rx: 6 }),
    svgText(title, { class: 'title', x: padding, y: 28 }),
    svgText(axis, { class: 'soft', x: padding, y: 46 }),
    ...legend(series),
    ...drawing,
    svgText(source, { class: 'soft', x: padding, y: height - padding + 4 }),
  ];
  return `${element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${chartWidth} ${height}`, role: 'img' },
    parts.map((part) => `\n${part}`),
  )}\n`;
}

/** Where the drawing begins, below title and legend. */
export function drawingTopBelow(series: readonly string[]): number {
  return legendTop + (legendPlaces(series).at(-1)?.line ?? 0) * legendLine + 18;
}

function legend(series: readonly string[]): string[] {
  return legendPlaces(series).flatMap(({ name, x, line }, index) => {
    const y = legendTop + line * legendLine;
    return [
      element('rect', { class: `series-${index}`, x, y: y - 10, width: 11, height: 11, rx: 2 }),
      svgText(name, { x: x + 17, y }),
    ];
  });
}

/** From left to right, on as many lines as it takes. */
function legendPlaces(series: readonly string[]): { name: string; x: number; line: number }[] {
  let [x, line] = [padding, 0];
  return series.map((name) => {
    const width = 32 + name.length * 7;
    if (x + width > chartWidth - padding) [x, line] = [padding, line + 1];
    const at = x;
    x += width;
    return { name, x: at, line };
  });
}

/** Round steps from at most the smallest value to at least the largest. */
export function axisTicks(largest: number, smallest = 0): number[] {
  const rough = (largest - smallest) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough)!;
  const first = Math.floor(smallest / step + 1e-9);
  const count = Math.ceil(largest / step - 1e-9) - first;
  return Array.from({ length: count + 1 }, (_, index) => Number(((first + index) * step).toPrecision(6)));
}
