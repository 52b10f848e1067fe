import type { LiveEvent } from '../../../client/siann.ts';
import { speakerNumber } from '../../../wire/speaker-number.ts';
import { columnsOf } from '../../../wire/text-width.ts';
import type { Output } from '../command.ts';

/** Shows the events of a stream as they come. */
export type Captions = { show(event: LiveEvent): void; end(): void };

const clearLine = '\r\u001B[K';
const grey = '\u001B[90m';
const plain = '\u001B[0m';

/** Writes a line for each final. On a terminal, the partial stands in grey below them and is overwritten until it is final. */
export function createCaptions(output: Output): Captions {
  let showsPartial = false;
  const clear = () => {
    if (showsPartial) output.write(clearLine);
    showsPartial = false;
  };
  return {
    show(event) {
      if (event.type !== 'transcript') return;
      const text = printable(event.text);
      if (event.is_final) {
        clear();
        const speaker = event.speaker === undefined ? '' : `${speakerNumber(event.speaker)}: `;
        if (text !== '') output.write(`${speaker}${text}\n`);
      } else if (output.isTTY) {
        showsPartial = true;
        output.write(`${clearLine}${grey}${lastColumns(text, (output.columns ?? 80) - 1)}${plain}`);
      }
    },
    end: clear,
  };
}

/** Writes every event as a line of JSON. */
export function createEventLines(output: Output): Captions {
  return { show: (event) => void output.write(`${JSON.stringify(event)}\n`), end() {} };
}

/** The end of a text that fits on one line. A line that wraps cannot be overwritten, and new words come at the end. */
export function lastColumns(text: string, columns: number): string {
  const characters = [...text];
  let width = 0;
  let from = characters.length;
  while (from > 0) {
    width += columnsOf(characters[from - 1]!);
    if (width > columns) break;
    from--;
  }
  return characters.slice(from).join('');
}

/** Replaces control characters, so that a transcript cannot move the cursor. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}
