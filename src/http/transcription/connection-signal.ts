import type { ServerResponse } from 'node:http';

/** Nobody is left to be answered. */
export class ClientGone extends Error {
  constructor() {
    super('The client closed the connection before it was answered.');
    this.name = 'ClientGone';
  }
}

/** Aborts when the connection closes before the answer is complete, or with the reason for which `revoked` aborts. */
export function connectionSignal(response: ServerResponse, revoked: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const onClose = () => {
    if (!response.writableFinished) gone.abort(new ClientGone());
  };
  if (response.destroyed || response.closed) onClose();
  else response.once('close', onClose);
  return AbortSignal.any([gone.signal, revoked]);
}
