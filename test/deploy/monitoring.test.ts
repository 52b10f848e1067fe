import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { installPackage } from '../../bench/servers/debian-package.ts';
import { createMetrics } from '../../src/operations/metrics.ts';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path: string) => readFileSync(at(path), 'utf8');

type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: { summary: string } };
const rules: Rule[] = parse(read('deploy/prometheus/rules.yaml')).groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules,
);
type Panel = { title: string; targets: { expr: string }[] };
const dashboard: { panels: Panel[] } = JSON.parse(read('deploy/grafana/siann.json'));
const drawn = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const [scaled] = parse(read('deploy/prometheus/adapter.yaml')).rules.external;

describe('what is monitored', () => {
  test('is exported, by whatever name and wherever it is asked for', async () => {
    const load = () => ({ processes: 1, busySlots: 0, queued: 0, restarts: 0, rssBytes: 0 });
    const { body } = await createMetrics({ load }).read();
    const exported = new Set([...body.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
    const chart = read('deploy/helm/siann/templates/autoscaling.yaml');
    const asked = [
      ...rules.map(({ expr }) => expr),
      ...drawn,
      scaled.metricsQuery,
      scaled.seriesQuery,
      chart,
    ];
    const names = new Set(
      asked.flatMap((text) => [...text.matchAll(/\b(?:siann|nodejs|process)_\w+/g)].map(([name]) => name)),
    );
    assert.ok(names.size > 15);
    for (const name of names)
      assert.ok(exported.has(name) || exported.has(name.replace(/_(bucket|sum|count)$/, '')), name);
  });

  test('is told to people in a sentence, with what each means written down', () => {
    const guide = read('docs/cluster/alerts.md');
    for (const { alert, labels, annotations } of rules) {
      assert.match(labels.severity, /^(critical|warning)$/);
      assert.match(annotations.summary, /\.$/);
      assert.ok(guide.includes(`\`${alert}\``), alert);
    }
  });

  test('scales workers by the name that the chart asks for', () => {
    const values = parse(read('deploy/helm/siann/values.yaml'));
    assert.equal(values.worker.autoscaling.metric, scaled.name.as);
  });

  const isMissing = () => spawnSync('promtool', ['--version']).status !== 0;
  if (isMissing()) installPackage('prometheus');
  const skip =
    isMissing() && 'promtool is not installed and could not be (Debian: apt-get install prometheus).';
  test('is asked for in words that Prometheus understands, and fires when it should', { skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'siann-rules-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const filled = drawn.map((expr) => expr.replaceAll('$__rate_interval', '1m'));
    const panels = { groups: [{ name: 'panels', rules: filled.map((expr) => ({ record: 'panel', expr })) }] };
    writeFileSync(join(folder, 'panels.yaml'), JSON.stringify(panels));
    for (const file of [at('deploy/prometheus/rules.yaml'), join(folder, 'panels.yaml')])
      promtool(['check', 'rules', '--lint=none', file]);
    promtool(['test', 'rules', at('test/deploy/rules-test.yaml')]);
  });
});

function promtool(args: string[]): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`);
}
