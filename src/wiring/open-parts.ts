export type OpenParts = {
  /** Keeps a part until all are closed, and gives it back. */
  keep<Part extends AsyncDisposable | Disposable>(part: Part): Part;
  /** Closes them one after the other, beginning with the last. */
  closeAll(): Promise<void>;
};

/** Parts to be closed in reverse order, as with AsyncDisposableStack, which Node.js 20 does not have. */
export function createOpenParts(): OpenParts {
  const open: (AsyncDisposable | Disposable)[] = [];
  return {
    keep(part) {
      open.unshift(part);
      return part;
    },
    async closeAll() {
      for (const part of open.splice(0)) {
        if (Symbol.asyncDispose in part) await part[Symbol.asyncDispose]();
        else part[Symbol.dispose]();
      }
    },
  };
}
