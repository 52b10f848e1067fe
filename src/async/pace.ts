/** Somebody who sends 20 ms at a time eight times as fast as it is spoken sends 400 a second. */
const framesPerSecond = 400;
/** So many may come at once: 40 s of audio in frames of 20 ms. */
const burstFrames = 2_000;

export type FramePace = {
  count(): void;
  /** More has come than may come by now, so nothing more is read for a while. */
  isAhead(): boolean;
};

/**
 * Every message costs this thread some microseconds, however small it is, and what this thread takes, recognition does not
 * have. So a socket's messages are read at a pace: a bucket that empties evenly (ITU-T I.371, generic cell rate).
 */
export function createFramePace(now: () => number = () => performance.now()): FramePace {
  let frames = 0;
  let countedAt = now();
  const drain = () => {
    const time = now();
    frames = Math.max(0, frames - ((time - countedAt) / 1000) * framesPerSecond);
    countedAt = time;
  };
  return {
    count() {
      drain();
      frames++;
    },
    isAhead() {
      drain();
      return frames > burstFrames;
    },
  };
}
