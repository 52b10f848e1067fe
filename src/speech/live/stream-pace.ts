/** How often a stream asks for partials: often while the machine has time, less when others speak too. */
export type StreamPace = {
  /** Notes how long a window took from being asked for to its answer. */
  note(seconds: number): void;
  /** How much new audio there must be before another partial. */
  readonly intervalSeconds: number;
};

const shortestSeconds = 0.4;
/** A partial is begun at most every so many times its own duration: the rest of the time is for finals, and for other streams. */
const rest = 1.5;
const memory = 0.5;

export function createStreamPace(): StreamPace {
  let usual = 0;
  return {
    note(seconds) {
      usual = usual === 0 ? seconds : memory * usual + (1 - memory) * seconds;
    },
    get intervalSeconds() {
      return Math.max(shortestSeconds, rest * usual);
    },
  };
}
