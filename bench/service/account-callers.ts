// The callers of `GET /v1/account`, in a process of their own: what they cost is not the service's.
import autocannon from 'autocannon';

type Load = { url: string; keys: string[]; connections: number; duration: number };

const { url, keys, connections, duration } = JSON.parse(process.argv[2]!) as Load;
const result = await autocannon({
  url,
  connections,
  duration,
  // The certificate is of the service's own making, and this is not about trust.
  tlsOptions: { rejectUnauthorized: false },
  requests: keys.map((key) => ({ method: 'GET', headers: { authorization: `Bearer ${key}` } })),
});
console.log(JSON.stringify(result));
