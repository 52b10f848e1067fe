import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

export const chartFolder = fileURLToPath(new URL('../../deploy/helm/siann/', import.meta.url));
const rendererFile = fileURLToPath(new URL('./render-chart/main.go', import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: what Kubernetes takes has any shape; each test says what it expects.
export type KubernetesObject = any;

export const chartValues = () => parse(readFileSync(join(chartFolder, 'values.yaml'), 'utf8'));
const chart = parse(readFileSync(join(chartFolder, 'Chart.yaml'), 'utf8'));

export type Renderer = Disposable & {
  /** Every object of the chart with these values over its own, and what is said after an installation. */
  render(overrides?: Record<string, unknown>): { objects: KubernetesObject[]; notes: string };
};

/** Go's templates are what Helm renders with. The renderer, or the sentence that says why there is none. */
export function buildRenderer(): Renderer | string {
  if (spawnSync('go', ['version']).status !== 0)
    return 'Go is not installed. Install it (Debian: apt-get install golang-go) to render the chart.';
  const folder = mkdtempSync(join(tmpdir(), 'siann-chart-'));
  const program = join(folder, 'render');
  const env = { ...process.env, GOCACHE: join(folder, 'cache'), GOFLAGS: '', GO111MODULE: 'off' };
  execFileSync('go', ['build', '-o', program, rendererFile], { env });
  return {
    render(overrides = {}) {
      const names = readdirSync(join(chartFolder, 'templates'));
      const templates = Object.fromEntries(
        names.map((name) => [name, readFileSync(join(chartFolder, 'templates', name), 'utf8')]),
      );
      const values = {
        Values: over(chartValues(), overrides),
        Release: { Name: 'siann', Namespace: 'speech', Service: 'Helm' },
        Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
      };
      const input = JSON.stringify({ templates, values });
      const { 'NOTES.txt': notes = '', ...rendered } = JSON.parse(
        execFileSync(program, { input, stdio: ['pipe', 'pipe', 'pipe'] }).toString(),
      ) as Record<string, string>;
      return { objects: Object.values(rendered).flatMap(objectsOf), notes };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Maps are merged and everything else replaced, as Helm does. */
export function over(base: unknown, change: unknown): unknown {
  if (!isMap(base) || !isMap(change)) return change === undefined ? base : change;
  const keys = [...new Set([...Object.keys(base), ...Object.keys(change)])];
  return Object.fromEntries(keys.map((key) => [key, over(base[key], change[key])]));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectsOf(text: string): KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(`${document.errors[0]}\n${text}`);
    const value = document.toJS();
    return value ? [value] : [];
  });
}
