/** One measured value, as a check gives it. */
export type Figure = {
  /** The same in every run: a new figure takes the place of the one with its id. */
  id: string;
  what: string;
  value: number | string;
  unit?: string;
  /** Stands behind the value on the page: what it is made of. */
  note?: string;
  /** What was asked for, in the unit of the value; `met` says whether it was reached. */
  bar?: string;
  met?: boolean;
  /** Which column of the page and which colour of a chart: an engine, a number of streams. */
  series?: string;
  /** Where it stands on the axis of a line chart, such as the number of workers. */
  at?: number;
  /** 95 % of resamplings of the recordings lie between these. */
  interval?: [number, number];
  /** Whether the recordings had a part in choosing weights or thresholds, or were kept for reporting. */
  part?: 'selection' | 'reporting';
  model?: string;
  /** Is not on the page as long as its bar is met: it would say that nothing is wrong. */
  minor?: true;
};

/** The figures, each with the model that was running. */
export function onModel(model: string, figures: readonly Figure[]): Figure[] {
  return figures.map((figure) => ({ model, ...figure }));
}

/** Under `--verbose`, what lies behind a figure. */
export type Explain = (line: string) => void;

export function createExplain(verbose: boolean): Explain {
  return (line) => {
    if (verbose) console.log(line);
  };
}

type Judged = Pick<Figure, 'value' | 'bar' | 'met'>;

/** The value, rounded for readers; the bar is held against it as it was measured. */
export function atMost(bar: number, value: number, digits = 0): Judged {
  return { value: rounded(value, digits), bar: `≤ ${bar}`, met: value <= bar };
}

export function atLeast(bar: number, value: number, digits = 0): Judged {
  return { value: rounded(value, digits), bar: `≥ ${bar}`, met: value >= bar };
}

/** For what must not happen at all. */
export function none(count: number): Judged {
  return { value: count, bar: '0', met: count === 0 };
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

export function percentOf(share: number, digits = 1): number {
  return rounded(share * 100, digits);
}

/** As it is printed and shown on the page. */
export function valueText({ value, unit, note, interval }: Figure): string {
  const number = typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 4 }) : value;
  const spread = interval ? ` [${interval[0]}–${interval[1]}]` : '';
  return `${number}${unit ? ` ${unit}` : ''}${spread}${note ? ` (${note})` : ''}`;
}
