// Whether this container can work: exits with 0 when /readyz answers 200. Over HTTPS where the service speaks it itself.
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

const { SIANN_PORT = '8443', SIANN_TLS = 'on', SIANN_ROLE = 'all' } = process.env;
const isPlain = SIANN_TLS === 'proxy' || SIANN_ROLE === 'worker';
const ask = isPlain ? requestHttp : requestHttps;
// It asks itself, so there is nobody to be taken in by another's certificate.
const options = { host: '127.0.0.1', port: SIANN_PORT, path: '/readyz', rejectUnauthorized: false };

const request = ask({ ...options, timeout: 4_000 }, (response) => {
  process.exitCode = response.statusCode === 200 ? 0 : 1;
  response.resume();
});
request.on('timeout', () => request.destroy(new Error('no answer')));
request.on('error', (error) => {
  console.error(error.message);
  process.exitCode = 1;
});
request.end();
