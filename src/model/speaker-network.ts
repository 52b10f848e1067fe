import { fileURLToPath } from 'node:url';
import { ServiceError } from '../errors/service-error.ts';
import { fileSha256 } from './prepared-cache.ts';

/** The network that tells voices apart. It is part of the project and needs no preparation (training/speakers/README.md). */
const path = fileURLToPath(new URL('../../weights/speakers.onnx', import.meta.url));
const sha256 = 'ce9f49493088765a058908650b3d337c5269bd0ef0e4005db48a348c0afaafec';

export async function findSpeakerNetwork(): Promise<string> {
  const found = await fileSha256(path).catch((cause: unknown) => {
    throw damaged(cause);
  });
  if (found !== sha256) throw damaged(new Error(`SHA-256 is ${found}, not ${sha256}`));
  return path;
}

function damaged(cause: unknown): ServiceError {
  return new ServiceError('internal_error', {
    cause: new Error(`${path} is missing or damaged. Restore it from the repository.`, { cause }),
  });
}
