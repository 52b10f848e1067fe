import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../settings/config.ts';
import { loggedError } from './logged-error.ts';

export type ServiceLog = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

export type ServiceLogOptions = {
  level: Config['logLevel'];
  output: { write(text: string): unknown; isTTY?: boolean };
};

/** JSON, a line each; on a terminal, short lines for people. */
export function createServiceLog({ level, output }: ServiceLogOptions): ServiceLog {
  const stream: DestinationStream = output.isTTY
    ? { write: (line) => void output.write(shortLine(line)) }
    : { write: (line) => void output.write(line) };
  const serializers = { err: loggedError, error: loggedError };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, stream);
}

/** `12:30:01 info  request  requestId=… status=200`, and the stack of an error below it. */
export function shortLine(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const name = pino.levels.labels[Number(level)] ?? 'log';
  const pairs = Object.entries(fields).map(([key, value]) => `${key}=${shown(value)}`);
  const stack = (err as { stack?: string } | undefined)?.stack;
  const head = [String(time).slice(11, 19), name.padEnd(5), msg, ...pairs].join(' ');
  return stack ? `${head}\n${stack}\n` : `${head}\n`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
