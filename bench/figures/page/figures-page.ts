import { isOfSet, setTable, variantTable } from './accuracy-tables.ts';
import { type Measured, processorLines, runsOf, unique } from './measured.ts';
import { listTable, seriesTable } from './tables.ts';

export const mostLines = 150;

type Area = {
  title: string;
  benches: string[];
  /** Rows of other models say which. */
  usualModel?: string;
  chart?: { name: string; says: string };
  says: string;
};

const areas: Area[] = [
  {
    title: 'Speed',
    benches: ['speed'],
    usualModel: 'small',
    chart: { name: 'speed', says: 'Real-time factor of Siann and its peers' },
    says: 'every engine transcribes the same ten minutes with the same weights, in one run.',
  },
  {
    title: 'Accuracy',
    benches: ['accuracy'],
    usualModel: 'small',
    chart: { name: 'accuracy', says: 'Error rates by set, with the published weights beside' },
    says: 'errors in per cent: numbers as they are written / numbers folded to digits [95 % interval]. Siann finds the language itself; other programs are told it. *Choosing*: weights were chosen by this set, which flatters them.',
  },
  {
    title: 'Robustness',
    benches: ['robustness'],
    usualModel: 'small',
    says: 'times of sentences between known silences; sentences joined at random, of which none may be lost and no clause written twice; noise, of which no text may come; memory over hours.',
  },
  {
    title: 'Live captions',
    benches: ['realtime'],
    usualModel: 'small',
    chart: { name: 'live', says: 'Latency of finals and partials by number of streams' },
    says: 'recordings are played at the pace of speech. *Final*: after the speaker’s pause, without the endpointing time.',
  },
  {
    title: 'Speakers',
    benches: ['speakers'],
    usualModel: 'small',
    says: 'error rates are without collar, with overlap scored. Thresholds were chosen in part on the simulated conversations.',
  },
  {
    title: 'Service',
    benches: ['service'],
    usualModel: 'tiny',
    says: 'one service under load, crashes and oversized files; model tiny.',
  },
  {
    title: 'Cluster',
    benches: ['cluster'],
    usualModel: 'tiny',
    chart: { name: 'scaling', says: 'Share of linear gain by number of workers' },
    says: 'several nodes, PostgreSQL and Redis, all on the cores of one machine; model tiny.',
  },
  {
    title: 'Chaos and attacks',
    benches: ['chaos', 'containers', 'hostile'],
    usualModel: 'tiny',
    says: 'everything that can be killed is killed; one tenant attacks while another works; requests and streams are mutated from a seed; model tiny.',
  },
];

const head = `# Figures

Made by \`npm run figures\` from [\`figures/\`](../figures/); do not edit. Each command writes its own rows, with commit, date and processor
([bench/README.md](../bench/README.md)). Earlier figures and how they came about are in the [notebook](lab/README.md).`;

/** The page, from every row that was recorded. */
export function figuresPage(rows: readonly Measured[], charts: ReadonlyMap<string, string>): string {
  const lines = [...head.split('\n'), '', ...processorLines(rows), '', verdict(rows)];
  for (const area of areas) {
    const own = rows.filter(({ bench }) => area.benches.includes(bench));
    if (own.length > 0) lines.push('', ...areaLines(area, own, charts));
  }
  const unknown = unique(rows.map(({ bench }) => bench)).filter(
    (bench) => !areas.some(({ benches }) => benches.includes(bench)),
  );
  if (unknown.length > 0)
    throw new Error(`No area of the page shows ${unknown.join(', ')}: add one to figures-page.ts.`);
  if (lines.length > mostLines)
    throw new Error(`The page has ${lines.length} lines, and ${mostLines} are the most: mark rows as minor.`);
  return `${lines.join('\n')}\n`;
}

/** First of all, how many bars are not reached, and where. */
function verdict(rows: readonly Measured[]): string {
  const barred = rows.filter(({ met }) => met !== undefined);
  const missed = areas.flatMap(({ title, benches }) => {
    const count = barred.filter(({ bench, met }) => benches.includes(bench) && met === false).length;
    return count > 0 ? [`${count} in [${title}](#${anchorOf(title)})`] : [];
  });
  const met = barred.filter((row) => row.met).length;
  if (missed.length === 0) return `All ${met} bars are met.`;
  return `Of ${barred.length} bars, ${met} are met. Missed, and marked as missed: ${missed.join(', ')}.`;
}

function areaLines(area: Area, rows: readonly Measured[], charts: ReadonlyMap<string, string>): string[] {
  const commands = area.benches.map((bench) => `\`npm run ${scriptOf(bench)}\``).join(', ');
  const { chart } = area;
  const picture =
    chart && charts.has(chart.name) ? ['', `![${chart.says}](images/figures/${chart.name}.svg)`] : [];
  const shown = rows.filter(({ minor, met }) => !minor || met === false);
  const tables =
    area.title === 'Accuracy'
      ? [
          setTable(shown.filter(isOfSet)),
          variantTable(shown.filter(isOfSet)),
          seriesTable(
            shown.filter((row) => !isOfSet(row)),
            area.usualModel,
          ),
        ]
      : [
          seriesTable(
            shown.filter(({ series }) => series),
            area.usualModel,
          ),
          listTable(
            shown.filter(({ series }) => !series),
            area.usualModel,
          ),
        ];
  const left = rows.length - shown.length;
  const more = left > 0 ? ` ${left} more ${left === 1 ? 'row is' : 'rows are'} in the file alone.` : '';
  return [
    `## ${area.title}`,
    `${commands}: ${area.says}${more} <sub>${runsOf(rows)}.</sub>`,
    ...picture,
    ...tables.flatMap((each) => (each.length === 0 ? [] : ['', ...each])),
  ];
}

/** As GitHub names the heading. */
function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}

function scriptOf(bench: string): string {
  return bench === 'chaos' ? bench : `bench:${bench}`;
}
