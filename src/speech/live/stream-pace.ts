/** How often a stream asks for partials: often while the machine has time, less when others speak too. */
export type StreamPace = {
  /** Notes how long a window took from being asked for to its answer. */
  note(seconds: number): void;
  /** New audio that is worth another partial. */
  readonly intervalSeconds: number;
};

const shortestSeconds = 0.4;
/** A share of the time is left for finals, and for others. */
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
