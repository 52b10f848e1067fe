import { type Static, Type } from 'typebox';
import { Check, Errors } from 'typebox/value';

const text = Type.String({ minLength: 1 });
const onlyThese = { additionalProperties: false };

const rowSchema = Type.Object(
  {
    id: text,
    what: text,
    value: Type.Union([Type.Number(), text]),
    unit: Type.Optional(text),
    note: Type.Optional(text),
    bar: Type.Optional(text),
    met: Type.Optional(Type.Boolean()),
    series: Type.Optional(text),
    at: Type.Optional(Type.Number()),
    interval: Type.Optional(Type.Tuple([Type.Number(), Type.Number()])),
    part: Type.Optional(Type.Union([Type.Literal('selection'), Type.Literal('reporting')])),
    model: Type.Optional(text),
    minor: Type.Optional(Type.Literal(true)),
    /** Options and settings that are not the usual ones: with others, something else is measured. */
    options: Type.Optional(text),
    command: text,
  },
  onlyThese,
);

const runSchema = Type.Object(
  {
    date: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
    /** With `-dirty` when the code differed from it. */
    commit: Type.String({ pattern: '^[0-9a-f]{7,40}(-dirty)?$' }),
    processor: Type.Object(
      { model: text, architecture: text, cores: Type.Integer({ minimum: 1 }) },
      onlyThese,
    ),
    node: text,
    rows: Type.Array(rowSchema, { minItems: 1 }),
  },
  onlyThese,
);

const fileSchema = Type.Object(
  { bench: text, architecture: text, runs: Type.Array(runSchema, { minItems: 1 }) },
  onlyThese,
);

export type FigureRow = Static<typeof rowSchema>;
export type FigureRun = Static<typeof runSchema>;
/** What one command has measured on one kind of processor: runs in order of time, each with the rows that no later run replaced. */
export type FigureFile = Static<typeof fileSchema>;

/** The file that the text holds, or an error that names everything that is wrong with it. */
export function parseFigureFile(name: string, json: string): FigureFile {
  const file: unknown = JSON.parse(json);
  const wrong = Check(fileSchema, file)
    ? contradictions(file)
    : Errors(fileSchema, file).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
  if (wrong.length > 0) throw new Error(`${name}: ${wrong.join('; ')}`);
  return file as FigureFile;
}

function contradictions({ architecture, runs }: FigureFile): string[] {
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (const { processor, rows } of runs) {
    if (processor.architecture !== architecture) wrong.push(`a run on ${processor.architecture}`);
    for (const row of rows) {
      if (seen.has(identityOf(row))) wrong.push(`${identityOf(row)} stands in it twice`);
      if ((row.bar === undefined) !== (row.met === undefined))
        wrong.push(`${identityOf(row)}: a bar is met or not, and nothing else is`);
      seen.add(identityOf(row));
    }
  }
  return wrong;
}

/** Two rows with the same identity measure the same thing. */
export function identityOf({ id, options }: FigureRow): string {
  return options === undefined ? id : `${id} with ${options}`;
}

/** The file with this run: its rows take the place of earlier ones, all others stay as they are. */
export function addRun(file: FigureFile, run: FigureRun): FigureFile {
  const renewed = new Set(run.rows.map(identityOf));
  const kept = file.runs
    .map((each) => ({ ...each, rows: each.rows.filter((row) => !renewed.has(identityOf(row))) }))
    .filter(({ rows }) => rows.length > 0);
  const last = kept.at(-1);
  // The checks of one command are written one by one; together they are one run.
  if (last && isSameRun(last, run))
    return { ...file, runs: [...kept.slice(0, -1), { ...last, rows: [...last.rows, ...run.rows] }] };
  return { ...file, runs: [...kept, run] };
}

function isSameRun({ rows: _one, ...one }: FigureRun, { rows: _other, ...other }: FigureRun): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** One line a row, so that a difference shows what was measured anew. */
export function formatFigureFile({ runs, ...head }: FigureFile): string {
  const runTexts = runs.map(({ rows, ...run }) => {
    const lines = rows.map((row) => `        ${JSON.stringify(row)}`).join(',\n');
    return `    {\n${fields(run, 6)},\n      "rows": [\n${lines}\n      ]\n    }`;
  });
  return `{\n${fields(head, 2)},\n  "runs": [\n${runTexts.join(',\n')}\n  ]\n}\n`;
}

function fields(object: object, indent: number): string {
  return Object.entries(object)
    .map(([key, value]) => `${' '.repeat(indent)}${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(',\n');
}
