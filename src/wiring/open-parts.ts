export type OpenParts = {
  /** Keeps a part until all are closed, and gives it back. */
  keep<Part extends AsyncDisposable>(part: Part): Part;
  /** The last that was kept first. */
  closeAll(): Promise<void>;
};

/** What has been put together so far, to be taken apart in reverse: AsyncDisposableStack, which Node.js 20 does not have. */
export function createOpenParts(): OpenParts {
  const open: AsyncDisposable[] = [];
  return {
    keep(part) {
      open.unshift(part);
      return part;
    },
    async closeAll() {
      for (const part of open.splice(0)) await part[Symbol.asyncDispose]();
    },
  };
}
