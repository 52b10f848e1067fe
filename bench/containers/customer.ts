import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { NewKey, Project } from '../../wire/console.ts';
import type { BenchKey } from '../service/service-folder.ts';
import type { ComposeProject } from './compose-project.ts';

/** As somebody new does it: the operator's link opens the console, where a password, a project and its keys are made. */
export async function becomeCustomer(project: ComposeProject, keyCount: number): Promise<BenchKey[]> {
  const [made] = (await project.siann('users', 'link', '--json')).split('\n');
  const { hash } = new URL((JSON.parse(made!) as { link: string }).link);
  const link = new URLSearchParams(hash.slice(hash.indexOf('?'))).get('link');
  const browser = createBrowser(project);
  const password = `${crypto.randomUUID()} ${crypto.randomUUID()}`;
  await browser.post('/console/api/setup', { link, name: 'customer', password });
  const shop = (await browser.post('/console/api/projects', {
    name: 'shop',
    plan: 'professional',
  })) as Project;
  const keys: BenchKey[] = [];
  for (let number = 1; number <= keyCount; number++) {
    const request = { name: `till ${number}`, environment: 'live' };
    const { id, key } = (await browser.post(`/console/api/projects/${shop.id}/keys`, request)) as NewKey;
    keys.push({ id, key });
  }
  return keys;
}

/** Keeps the cookies of one site, and sends what a page of the console sends. */
function createBrowser({ port, ca }: ComposeProject) {
  const agent = new Agent({ keepAlive: true });
  const cookies = new Map<string, string>();
  return {
    async post(path: string, content: object): Promise<unknown> {
      const body = JSON.stringify(content);
      const asked = request({
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        path,
        ca,
        agent,
        method: 'POST',
        headers: {
          host: `localhost:${port}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'x-siann-console': '1',
          'sec-fetch-site': 'same-origin',
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        },
      });
      asked.end(body);
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        asked.on('response', resolve);
        asked.on('error', reject);
      });
      for (const cookie of response.headers['set-cookie'] ?? []) {
        const [pair = ''] = cookie.split(';');
        cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
      }
      const answer = await text(response);
      if ((response.statusCode ?? 0) >= 300) throw new Error(`${path}: ${response.statusCode} ${answer}`);
      return answer === '' ? undefined : JSON.parse(answer);
    },
  };
}
