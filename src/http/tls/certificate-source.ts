import { watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInOrder } from '../../async/in-order.ts';
import type { ServiceLog } from '../../operations/service-log.ts';
import type { Config } from '../../settings/config.ts';
import type { CertifiedKey } from './certified-key.ts';
import { developmentCertificate } from './development-certificate.ts';
import { readOperatorCertificate } from './operator-certificate.ts';

export type CertificateSource = AsyncDisposable & {
  current(): CertifiedKey;
  /** The development authority that clients have to trust, where it is the one in use. */
  authorityPath: string | undefined;
  /** Reads the files again; a pair that cannot be used is logged, and the one before it stays. */
  reload(): Promise<void>;
  onChange(listener: (certifiedKey: CertifiedKey) => void): void;
};

export type CertificateSourceOptions = {
  config: Pick<Config, 'certificate' | 'dataFolder' | 'host'>;
  log: ServiceLog;
  pollMs?: number;
};

/** Certificate and key are written one after the other: a little time lets both arrive. */
const settleMs = 200;

/** The certificate of the service: the present one, and those that replace it while the service runs. */
export async function createCertificateSource(options: CertificateSourceOptions): Promise<CertificateSource> {
  const { config, log } = options;
  const operatorPaths = config.certificate;
  const folder = join(config.dataFolder, 'tls');
  const read = () =>
    operatorPaths
      ? readOperatorCertificate(operatorPaths)
      : developmentCertificate({ folder, host: config.host });
  const listeners: ((certifiedKey: CertifiedKey) => void)[] = [];
  let current = await read();
  const inOrder = createInOrder();

  const reloadNow = async () => {
    try {
      const next = await read();
      if (next.cert === current.cert && next.key === current.key) return;
      current = next;
      for (const listener of listeners) listener(next);
      log.info({}, 'certificate replaced');
    } catch (error) {
      log.warn({ err: error }, 'certificate not replaced');
    }
  };
  const reload = () => inOrder(reloadNow);

  // Some file systems (network drives, some containers) report no changes, and a development certificate is renewed before
  // it ends: for both, looking now and then is enough.
  const poll = setInterval(reload, options.pollMs ?? (operatorPaths ? 30_000 : 12 * 3_600_000));
  poll.unref();
  let settle: NodeJS.Timeout | undefined;
  const { certPath, keyPath } = operatorPaths ?? {};
  const folders = new Set(certPath && keyPath ? [dirname(certPath), dirname(keyPath)] : []);
  const watchers = [...folders].flatMap((path) => {
    try {
      const watcher = watch(path, { persistent: false }, () => {
        clearTimeout(settle);
        settle = setTimeout(reload, settleMs);
      });
      return watcher.on('error', () => watcher.close());
    } catch {
      return [];
    }
  });

  return {
    current: () => current,
    authorityPath: operatorPaths ? undefined : join(folder, 'ca.pem'),
    reload,
    onChange: (listener) => void listeners.push(listener),
    async [Symbol.asyncDispose]() {
      clearInterval(poll);
      clearTimeout(settle);
      for (const watcher of watchers) watcher.close();
      await inOrder(() => {});
    },
  };
}
