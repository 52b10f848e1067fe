import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Installs a package where Debian's can be had and this process may; otherwise the program is as missing as before. */
export function installPackage(name: string): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['install', '-y', '-q', '--no-install-recommends', name];
  if (spawnSync('apt-get', install, { env, stdio: 'ignore' }).status === 0) return;
  spawnSync('apt-get', ['update', '-q'], { env, stdio: 'ignore' });
  spawnSync('apt-get', install, { env, stdio: 'ignore' });
}
