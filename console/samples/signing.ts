import type { Samples } from '../parts/samples.tsx';

/** Shows how to sign a request, with one that has an empty body. */
export function signingSamples({ live }: { live: string }): Samples {
  return {
    curl: `timestamp=$(date +%s)
empty=$(printf '' | openssl dgst -sha256 -r | cut -d' ' -f1)
signature=$(printf '%s\\n%s\\n%s\\n%s' "$timestamp" GET /v1/account "$empty" \\
  | openssl dgst -sha256 -hmac "$SIANN_SECRET" -r | cut -d' ' -f1)
curl ${live}/account \\
  -H "Authorization: Bearer $SIANN_KEY" \\
  -H "X-Signature-Timestamp: $timestamp" \\
  -H "X-Signature: v1=$signature"`,
    TypeScript: `import { createHash, createHmac } from 'node:crypto';

const body = '';
const timestamp = String(Math.floor(Date.now() / 1000));
const hash = createHash('sha256').update(body).digest('hex');
const signed = [timestamp, 'GET', '/v1/account', hash].join('\\n');
const signature = createHmac('sha256', process.env.SIANN_SECRET!).update(signed).digest('hex');

const response = await fetch('${live}/account', {
  headers: {
    Authorization: \`Bearer \${process.env.SIANN_KEY}\`,
    'X-Signature-Timestamp': timestamp,
    'X-Signature': \`v1=\${signature}\`,
  },
});`,
    Python: `import hashlib, hmac, os, time, urllib.request

body = b""
timestamp = str(int(time.time()))
digest = hashlib.sha256(body).hexdigest()
signed = "\\n".join([timestamp, "GET", "/v1/account", digest])
signature = hmac.new(os.environ["SIANN_SECRET"].encode(), signed.encode(), hashlib.sha256).hexdigest()

request = urllib.request.Request("${live}/account", headers={
    "Authorization": f"Bearer {os.environ['SIANN_KEY']}",
    "X-Signature-Timestamp": timestamp,
    "X-Signature": f"v1={signature}",
})
print(urllib.request.urlopen(request).read().decode())`,
  };
}
