import { fixture, speechFiles } from '../../../evaluation/spoken-files.ts';
import { damaged } from './damage.ts';
import type { MutatedRequest, RequestContext } from './mutated-request.ts';
import {
  chunkedBody,
  filePart,
  formOf,
  textPart,
  transcriptions,
  uploadHeaders,
  uploadOf,
  wireRequest,
} from './wire.ts';

/** Most of a recording is left out: it is its head that decoders trust, and recognising the rest takes long. */
const lengths = [200, 1500, 4000, 4000, 4000, 12_000];

/** A proper upload of a file that is not what its container promises. */
export function mutatedAudio({ random, key }: RequestContext): MutatedRequest {
  const file = random.pick(speechFiles);
  const start = fixture(file).subarray(0, random.pick(lengths));
  const { name, bytes } = damaged(start, random);
  const common = { method: 'POST', path: transcriptions, ends: false };
  const fields: [string, string][] = [
    ['model', 'siann-1'],
    ['response_format', random.pick(['json', 'verbose_json', 'text', 'srt', 'vtt', 'diarized_json'])],
    ...(random.next() < 0.2 ? [['stream', 'true'] as [string, string]] : []),
  ];
  if (random.next() < 0.8)
    return { ...common, name: `${file} with ${name}`, bytes: uploadOf(bytes, key, fields) };
  const body = formOf([filePart(bytes), ...fields.map(([field, value]) => textPart(field, value))]);
  const headers = uploadHeaders(key, 0).filter(([header]) => header !== 'Content-Length');
  return {
    ...common,
    name: `${file} with ${name}, in chunks`,
    bytes: wireRequest(
      `POST ${transcriptions} HTTP/1.1`,
      [...headers, ['Transfer-Encoding', 'chunked']],
      chunkedBody(body, 1 + random.below(5000)),
    ),
  };
}
