import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const candidates = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A real Chromium. If it is missing, it is installed, as root on Debian. Undefined if there is none. */
export async function openBrowser(args: readonly string[] = []): Promise<Browser | undefined> {
  if (!findChromium()) install();
  const executablePath = findChromium();
  if (!executablePath) return undefined;
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', ...args],
  });
}

function findChromium(): string | undefined {
  return [process.env.CHROMIUM ?? '', ...candidates].find((path) => path !== '' && existsSync(path));
}

function install(): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const args = ['install', '-y', '-q', '--no-install-recommends', 'chromium', 'fonts-noto-cjk'];
  if (spawnSync('apt-get', args, { env, stdio: 'ignore' }).status === 0) return;
  spawnSync('apt-get', ['update', '-q'], { env, stdio: 'ignore' });
  spawnSync('apt-get', args, { env, stdio: 'ignore' });
}
