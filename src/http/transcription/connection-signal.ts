import type { ServerResponse } from 'node:http';

/** The client has closed its connection, so nobody waits for the answer. */
export class ClientGone extends Error {
  constructor() {
    super('The client closed the connection before it was answered.');
    this.name = 'ClientGone';
  }
}

/** Aborts when the connection closes before the answer is complete, or when `revoked` aborts, with its reason. */
export function connectionSignal(response: ServerResponse, revoked: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const onClose = () => {
    if (!response.writableFinished) gone.abort(new ClientGone());
  };
  if (response.destroyed || response.closed) onClose();
  else response.once('close', onClose);
  return AbortSignal.any([gone.signal, revoked]);
}
