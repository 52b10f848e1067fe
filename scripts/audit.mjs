// Part of `.ci/run`: asks the registry for known weaknesses of the packages that Siann uses. High and critical ones of what is shipped fail; others
// are shown. Ends with 77 when the registry does not answer such questions, and says so.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const severe = ['high', 'critical'];

/** What npm printed, as a status and lines for people. */
export function judge(output, { shipped }) {
  let report;
  try {
    report = JSON.parse(output);
  } catch {
    return { status: 77, lines: ['npm printed nothing that can be read.'] };
  }
  if (!report.vulnerabilities) {
    const why = report.error?.summary || report.message || report.error?.code || 'no reason is given';
    return { status: 77, lines: [String(why).replace(/ - .*$/s, '')] };
  }
  const found = Object.values(report.vulnerabilities);
  const lines = found.map(({ name, severity, via }) => {
    const titles = via.map((each) => (typeof each === 'string' ? `through ${each}` : each.title));
    return `${severity}: ${name}: ${[...new Set(titles)].join('; ')}`;
  });
  const isSevere = found.some(({ severity }) => severe.includes(severity));
  return { status: shipped && isSevere ? 1 : 0, lines };
}

function audit(options) {
  const given = ['audit', '--json', '--audit=true', '--loglevel=silent', ...options];
  return spawnSync('npm', given, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).stdout ?? '';
}

function main() {
  const shipped = judge(audit(['--omit=dev']), { shipped: true });
  if (shipped.status === 77) {
    console.error(
      `\n*** NOT AUDITED: THE PACKAGES. The registry does not say what is known of them (${shipped.lines[0]}).\n`,
    );
    process.exit(77);
  }
  const all = judge(audit([]), { shipped: false });
  for (const line of new Set([...shipped.lines, ...all.lines])) console.log(line);
  console.log(
    shipped.status === 0 ? 'Nothing severe is known of what is shipped.' : 'Raise the versions above.',
  );
  process.exit(shipped.status);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
