import { watch } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ServiceLog } from '../../operations/service-log.ts';
import type { Config } from '../../settings/config.ts';
import type { CertifiedKey } from './certified-key.ts';
import { developmentCertificate } from './development-certificate.ts';
import { readOwnCertificate } from './own-certificate.ts';

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

/** The certificate of the service, today's and whatever takes its place while it runs. */
export async function createCertificateSource(options: CertificateSourceOptions): Promise<CertificateSource> {
  const { config, log } = options;
  const own = config.certificate;
  const folder = join(config.dataFolder, 'tls');
  const read = () => (own ? readOwnCertificate(own) : developmentCertificate({ folder, host: config.host }));
  const listeners: ((certifiedKey: CertifiedKey) => void)[] = [];
  let current = await read();
  let reloading: Promise<void> = Promise.resolve();

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
  const reload = () => {
    reloading = reloading.then(reloadNow);
    return reloading;
  };

  // Where files cannot be watched (network drives, some containers), and for a certificate of our own that is about to
  // end, looking now and then does it.
  const poll = setInterval(reload, options.pollMs ?? (own ? 30_000 : 12 * 3_600_000));
  poll.unref();
  let settle: NodeJS.Timeout | undefined;
  const watched = new Set(own ? [dirname(own.certPath), dirname(own.keyPath)] : []);
  const watchers = [...watched].flatMap((path) => {
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
    authorityPath: own ? undefined : join(folder, 'ca.pem'),
    reload,
    onChange: (listener) => void listeners.push(listener),
    async [Symbol.asyncDispose]() {
      clearInterval(poll);
      clearTimeout(settle);
      for (const watcher of watchers) watcher.close();
      await reloading;
    },
  };
}
