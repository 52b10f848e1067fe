/** The entry of a decoder process: decodes the files and streams that it is given, piece by piece, and never more than one at a time. */
import { loadDecoders } from '../../audio/decode-audio.ts';
import { packError } from '../../pool/process/carried-error.ts';
import { createVoiceActivity } from '../../speech/windows/voice/voice-activity.ts';
import { tooCostly } from './decode-limits.ts';
import { type Decoding, startDecoding } from './decoding.ts';
import type { FromDecoder, ToDecoder } from './messages.ts';
import { createTurns } from './turns.ts';

serveParent();

function serveParent(): void {
  const turns = createTurns();
  const decodings = new Map<number, { decoding: Decoding; grownBytes: number }>();
  let open: ((message: ToDecoder & { type: 'open' }) => void) | undefined;

  process.on('disconnect', () => process.exit());
  // The parent decides: on Ctrl-C, or when a service manager signals the whole group, it drains and then kills.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  // The codecs print a complaint for each damaged packet, and an upload may have millions of them.
  console.error = () => {};
  console.warn = () => {};
  process.on('message', (message: ToDecoder) => {
    switch (message.type) {
      case 'start':
        void start(message);
        break;
      case 'open':
        open?.(message);
        break;
      case 'bytes':
        decodings.get(message.id)?.decoding.push(message.bytes);
        break;
      case 'end':
        decodings.get(message.id)?.decoding.end();
        break;
      case 'more':
        decodings.get(message.id)?.decoding.addCredit(message.blocks);
        break;
      case 'close':
        decodings.get(message.id)?.decoding.close();
        break;
      default:
        message satisfies never;
    }
  });
  if (!process.connected) process.exit();

  async function start(options: ToDecoder & { type: 'start' }): Promise<void> {
    const { limits, memoryReportMs } = options;
    let announced: number | undefined;
    let isSpent = false;
    try {
      const voice = await createVoiceActivity({ graphPath: options.voiceGraphPath });
      await loadDecoders();
      open = ({ id, kind }) => {
        const entry = { decoding: undefined as unknown as Decoding, grownBytes: 0 };
        const onTurn = () => {
          if (announced !== id) send({ type: 'turn', id });
          announced = id;
        };
        const onTurnOver = (grownBytes: number) => {
          entry.grownBytes += grownBytes;
          if (!isSpent && process.memoryUsage.rss() > limits.memoryBytes) endLargest();
        };
        decodings.set(id, entry);
        entry.decoding = startDecoding({ id, kind, voice, limits, turns, send, onTurn, onTurnOver });
        void entry.decoding.ended.then(() => decodings.delete(id));
      };
    } catch (error) {
      process.send?.({ type: 'start_failed', error: packError(error) } satisfies FromDecoder, () =>
        process.exit(1),
      );
      return;
    }
    send({ type: 'ready', rssBytes: process.memoryUsage.rss() });
    setInterval(() => send({ type: 'memory', rssBytes: process.memoryUsage.rss() }), memoryReportMs).unref();

    /** The process may stay as large as it is, so this happens once. The parent replaces it. */
    function endLargest(): void {
      isSpent = true;
      const [largest] = [...decodings.values()].sort((a, b) => b.grownBytes - a.grownBytes);
      largest?.decoding.fail(tooCostly());
      send({ type: 'memory', rssBytes: process.memoryUsage.rss() });
    }
  }
}

/** A write that fails means that the parent is gone, which 'disconnect' deals with. */
function send(message: FromDecoder): void {
  process.send?.(message, undefined, undefined, () => {});
}
