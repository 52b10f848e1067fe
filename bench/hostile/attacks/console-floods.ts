import { type Attack, dial, repeat, type Target } from '../attack.ts';

/** Nobody's key is needed for either: a password is what they make the service compute. */
export const consoleFloods: Attack[] = [
  {
    title: 'made-up setup links',
    run: (target, until) =>
      repeat(12, until, (round) =>
        post(target, '/console/api/setup', { link: `link-${round}`, name: 'x', password: 'a long password' }),
      ),
  },
  {
    title: 'wrong passwords',
    run: (target, until) =>
      repeat(12, until, (round) =>
        post(target, '/console/api/sign-in', { name: `name-${round % 50}`, password: `wrong ${round}` }),
      ),
  },
];

async function post(target: Target, path: string, body: object): Promise<void> {
  const socket = await dial(target);
  const content = JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'X-Siann-Console: 1',
    `Origin: https://localhost:${target.port}`,
    'Content-Type: application/json',
    `Content-Length: ${content.length}`,
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${content}`);
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
}
