import type { LiveEvent } from '../../../client/siann.ts';
import { speakerNumber } from '../../../wire/speaker-number.ts';
import { columnsOf } from '../../../wire/text-width.ts';
import type { Output } from '../command.ts';

/** Shows what a stream says, as it says it. */
export type Captions = { show(event: LiveEvent): void; end(): void };

const clearLine = '\r\u001B[K';
const grey = '\u001B[90m';
const plain = '\u001B[0m';

/** Finals one below the other; on a terminal, what is being said in grey under them, written over until it is final. */
export function createCaptions(output: Output): Captions {
  let isDirty = false;
  const clear = () => {
    if (isDirty) output.write(clearLine);
    isDirty = false;
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
        isDirty = true;
        output.write(`${clearLine}${grey}${lastColumns(text, (output.columns ?? 80) - 1)}${plain}`);
      }
    },
    end: clear,
  };
}

/** One JSON object a line, every event. */
export function createEventLines(output: Output): Captions {
  return { show: (event) => void output.write(`${JSON.stringify(event)}\n`), end() {} };
}

/** A line that wraps cannot be written over, so that the end of it is shown, where the news are. */
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

/** What is heard cannot move the cursor. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}
