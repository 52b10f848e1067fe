import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { settings } from '../../src/settings/settings.ts';
import { buildRenderer, chartFolder, chartValues, type KubernetesObject, over } from './chart.ts';

const isValid = new Ajv({ strict: false }).compile(
  JSON.parse(readFileSync(join(chartFolder, 'values.schema.json'), 'utf8')),
);

test('the values of the chart are those that its schema describes, and mistakes are refused', () => {
  assert.ok(isValid(chartValues()), JSON.stringify(isValid.errors));
  const refused = [
    { api: { replica: 3 } },
    { tls: { mode: 'secret' } },
    { tls: { mode: 'none' } },
    { tls: { trustedProxies: ['0.0.0.0/0'] } },
    { settings: { LOG_LEVEL: 'info' } },
    { image: { digest: 'latest' } },
    { worker: { autoscaling: { kind: 'cpu' } } },
    { networkPolicy: { redisPort: 0 } },
  ];
  for (const change of refused) assert.ok(!isValid(over(chartValues(), change)), JSON.stringify(change));
});

const renderer = buildRenderer();

describe('the chart', { skip: typeof renderer === 'string' ? renderer : false }, () => {
  if (typeof renderer === 'string') return;
  after(() => renderer[Symbol.dispose]());
  const everything = {
    tls: { mode: 'secret', secretName: 'speech-tls' },
    worker: { autoscaling: { kind: 'external' } },
    ingress: { enabled: true, className: 'nginx', tlsSecretName: 'speech-tls' },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    networkPolicy: { redisTo: [{ podSelector: { matchLabels: { app: 'redis' } } }] },
    settings: { SIANN_LOG_LEVEL: 'warn' },
  };
  const behindProxy = { tls: { trustedProxies: ['10.4.7.0/24'] } };
  const variants = {
    'a proxy': behindProxy,
    everything,
    keda: {
      ...behindProxy,
      worker: { autoscaling: { kind: 'keda' } },
      api: { autoscaling: { enabled: false } },
    },
  };
  const find = (objects: KubernetesObject[], kind: string, name: string) => {
    const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
    assert.ok(found, `${kind} ${name}`);
    return found;
  };
  const containerOf = (deployment: KubernetesObject) => deployment.spec.template.spec.containers[0];

  for (const [name, values] of Object.entries(variants)) {
    test(`holds together with ${name}`, () => {
      assert.ok(isValid(over(chartValues(), values)), JSON.stringify(isValid.errors));
      const { objects } = renderer.render(values);
      const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      assert.equal(new Set(names).size, names.length);
      for (const { kind, metadata, spec } of objects) {
        const about = `${kind} ${metadata.name}`;
        assert.equal(metadata.labels['app.kubernetes.io/instance'], 'siann', about);
        // Whatever selects pods selects those of one deployment, and whatever scales names one.
        const selector = spec.podSelector?.matchLabels ?? spec.selector?.matchLabels ?? spec.selector;
        if (selector) {
          const component = selector['app.kubernetes.io/component'];
          const pods = find(objects, 'Deployment', `siann-${component}`).spec.template.metadata.labels;
          for (const [key, value] of Object.entries(selector)) assert.equal(pods[key], value, about);
        }
        if (spec.scaleTargetRef) find(objects, 'Deployment', spec.scaleTargetRef.name);
      }
    });

    test(`runs without rights, and with settings that exist, with ${name}`, () => {
      const { objects } = renderer.render(values);
      for (const deployment of objects.filter(({ kind }) => kind === 'Deployment')) {
        const { spec } = deployment.spec.template;
        const container = containerOf(deployment);
        assert.equal(spec.securityContext.runAsNonRoot, true);
        assert.equal(spec.securityContext.seccompProfile.type, 'RuntimeDefault');
        assert.equal(spec.automountServiceAccountToken, false);
        assert.equal(spec.enableServiceLinks, false);
        assert.deepEqual(container.securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        assert.ok(container.resources.requests.memory && container.resources.limits.memory);
        for (const { name, value, valueFrom } of container.env) {
          assert.ok(Object.hasOwn(settings, name), name);
          assert.ok(typeof value === 'string' || valueFrom.secretKeyRef.name, name);
        }
        const drain = container.env.find(({ name }: { name: string }) => name === 'SIANN_DRAIN_SECONDS');
        const delay = Number(container.lifecycle?.preStop.exec.command[1] ?? 0);
        assert.ok(spec.terminationGracePeriodSeconds > Number(drain.value) + delay);
        const mounted = container.volumeMounts.map(({ name }: { name: string }) => name);
        assert.deepEqual(
          mounted,
          spec.volumes.map(({ name }: { name: string }) => name),
        );
        for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
          const { path, port } = container[probe].httpGet;
          assert.equal(path, probe === 'livenessProbe' ? '/healthz' : '/readyz');
          assert.ok(container.ports.some(({ name }: { name: string }) => name === port));
        }
      }
    });
  }

  test('asks for readiness as the service speaks: HTTPS with a certificate, otherwise HTTP', () => {
    const schemeWith = (values: Record<string, unknown>) =>
      containerOf(find(renderer.render(values).objects, 'Deployment', 'siann-api')).readinessProbe.httpGet
        .scheme;
    assert.equal(schemeWith(everything), 'HTTPS');
    assert.equal(schemeWith(behindProxy), 'HTTP');
  });

  test('tells workers of Redis alone, and lets them reach nothing else', () => {
    const { objects } = renderer.render(everything);
    const worker = containerOf(find(objects, 'Deployment', 'siann-worker'));
    const secrets = worker.env.flatMap(
      ({ valueFrom }: KubernetesObject) => valueFrom?.secretKeyRef.name ?? [],
    );
    assert.deepEqual(secrets, ['siann-redis']);
    const keyOf = (role: string) =>
      containerOf(find(objects, 'Deployment', `siann-${role}`)).env.find(
        ({ name }: KubernetesObject) => name === 'SIANN_REDIS_URL',
      ).valueFrom.secretKeyRef.key;
    assert.equal(keyOf('worker'), 'worker-url');
    assert.equal(keyOf('api'), 'api-url');
    const api = containerOf(find(objects, 'Deployment', 'siann-api'));
    const own = api.env.find(({ name }: KubernetesObject) => name === 'SIANN_SECRET').valueFrom.secretKeyRef;
    assert.deepEqual(own, { name: 'siann-installation', key: 'secret' });
    const { egress } = find(objects, 'NetworkPolicy', 'siann-worker').spec;
    const ports = egress.flatMap(({ ports }: KubernetesObject) =>
      ports.map(({ port }: KubernetesObject) => port),
    );
    assert.deepEqual([...new Set(ports)], [53, 6379]);
    assert.deepEqual(egress[1].to, everything.networkPolicy.redisTo);
  });

  test('leaves the number of pods to whoever scales them', () => {
    const scaled = renderer.render(everything).objects;
    assert.equal(find(scaled, 'Deployment', 'siann-api').spec.replicas, undefined);
    assert.equal(find(scaled, 'Deployment', 'siann-worker').spec.replicas, undefined);
    const metric = find(scaled, 'HorizontalPodAutoscaler', 'siann-worker').spec.metrics[0].external;
    assert.deepEqual(metric, {
      metric: { name: 'siann_wanted_windows' },
      target: { type: 'AverageValue', averageValue: '4' },
    });
    const fixed = renderer.render({ ...behindProxy, api: { autoscaling: { enabled: false } } }).objects;
    assert.equal(find(fixed, 'Deployment', 'siann-api').spec.replicas, 2);
    assert.equal(find(fixed, 'Deployment', 'siann-worker').spec.replicas, 2);
  });

  test('stops with a sentence when a certificate is wanted and none is named', () => {
    assert.throws(() => renderer.render({ tls: { mode: 'secret' } }), /Set tls\.secretName/);
  });

  test('trusts no proxy until the operator names one', () => {
    assert.throws(() => renderer.render({}), /Set tls\.trustedProxies/);
    const { objects } = renderer.render(behindProxy);
    const { env } = containerOf(find(objects, 'Deployment', 'siann-api'));
    const trusted = env.find(({ name }: { name: string }) => name === 'SIANN_TRUSTED_PROXIES');
    assert.equal(trusted.value, '10.4.7.0/24');
  });

  test('says afterwards what to do next', () => {
    const { notes } = renderer.render(everything);
    assert.match(notes, /exec deployment\/siann-api -- siann keys create/);
    assert.match(notes, /https:\/\/speech\.example\/v1/);
    assert.doesNotMatch(notes, /<no value>|\{\{/);
  });
});
