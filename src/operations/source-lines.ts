import { findSourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Node.js would look up the lines of the source whenever a stack is asked for, and Node's own streams ask for that of every
 * error: a client that leaves in the middle of many requests holds up the others for tens of milliseconds. From now on only
 * a stack that is written somewhere is looked up.
 */
export function lookUpLinesWhenWritten(): void {
  process.setSourceMapsEnabled(false);
  process.on('uncaughtExceptionMonitor', (error) => {
    if (error instanceof Error && error.stack) error.stack = withSourceLines(error.stack);
  });
}

/** The stack with the lines of the source. One that has them, such as that of another process, stays as it is. */
export function withSourceLines(stack: string): string {
  return stack.replaceAll(/(file:\/\/[^\s()]{1,1000}\.ts):(\d+):(\d+)/g, (asRun, file, line, column) => {
    const origin = findSourceMap(file)?.findOrigin(Number(line), Number(column));
    return origin && 'fileName' in origin
      ? `${fileURLToPath(origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`
      : asRun;
  });
}
