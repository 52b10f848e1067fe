/** One measured figure with the bar that it has to clear. */
export type Figure = { title: string; value: string; bar: string; passes: boolean };

/** Under `--verbose`, what lies behind a figure. */
export type Explain = (line: string) => void;
