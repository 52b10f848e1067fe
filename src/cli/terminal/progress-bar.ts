import { columnsOf } from '../../../wire/text-width.ts';
import type { TranscribeProgress } from '../../speech/transcribe.ts';
import type { Output } from '../command.ts';

export type ProgressBar = AsyncDisposable & {
  showStep(step: string, fraction: number): void;
  startFile(name: string, totalBytes?: number): FileProgress;
  clear(): void;
};

type FileProgress = {
  /** Passes the bytes on and counts them. */
  count(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  update(progress: TranscribeProgress): void;
};

type Clock = { now(): number };

const redrawMilliseconds = 100;

/** One line that is redrawn in place. It is shown only on a terminal. */
export function createProgressBar(output: Output, clock: Clock = performance): ProgressBar {
  let drawnAt = Number.NEGATIVE_INFINITY;
  let visible = false;

  const draw = (line: string) => {
    if (!output.isTTY || clock.now() - drawnAt < redrawMilliseconds) return;
    drawnAt = clock.now();
    visible = true;
    output.write(`\r\u001B[K${fit(line, (output.columns || 80) - 1)}`);
  };
  const clear = () => {
    if (visible) output.write('\r\u001B[K');
    visible = false;
    drawnAt = Number.NEGATIVE_INFINITY;
  };

  return {
    showStep: (step, fraction) => draw(`${gauge(fraction)}  ${step}`),
    startFile(name, totalBytes) {
      const startedAt = clock.now();
      let bytesRead = 0;
      return {
        async *count(bytes) {
          for await (const chunk of bytes) {
            bytesRead += chunk.length;
            yield chunk;
          }
        },
        update({ decodedSeconds, doneSeconds }) {
          const speed = doneSeconds / Math.max(0.001, (clock.now() - startedAt) / 1000);
          const figures = `${clockTime(doneSeconds)}  ${speed.toFixed(1)}×  ${name}`;
          if (totalBytes === undefined || bytesRead === 0) return draw(figures);
          // The length of the file is estimated from the share of its bytes that has been decoded.
          const expectedSeconds = (decodedSeconds * totalBytes) / bytesRead;
          draw(`${gauge(expectedSeconds > 0 ? doneSeconds / expectedSeconds : 0)}  ${figures}`);
        },
      };
    },
    clear,
    async [Symbol.asyncDispose]() {
      clear();
    },
  };
}

function gauge(fraction: number): string {
  const share = Math.min(1, Math.max(0, fraction));
  const filled = Math.round(share * 20);
  return `${'█'.repeat(filled)}${'░'.repeat(20 - filled)} ${String(Math.round(share * 100)).padStart(3)}%`;
}

function clockTime(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = hours > 0 ? [hours, minutes, seconds % 60] : [minutes, seconds % 60];
  return parts.map((part) => String(Math.floor(part)).padStart(2, '0')).join(':');
}

/** Cuts a line to the terminal's width. Han and other wide characters take two columns. */
function fit(line: string, columns: number): string {
  let width = 0;
  let fitted = '';
  for (const character of line) {
    width += columnsOf(character);
    if (width > columns) break;
    fitted += character;
  }
  return fitted;
}
