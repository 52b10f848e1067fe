/**
 * Calls that come together are made one in each turn of the event loop, in their order, so that others are served between
 * them: for work that cannot be divided and is short, where many can ask for it at once.
 */
export function oneATurn<Argument>(call: (argument: Argument) => void): (argument: Argument) => void {
  const waiting: Argument[] = [];
  const next = () => {
    const argument = waiting.shift()!;
    // The next turn is asked for first: a call that throws stops none of the others.
    if (waiting.length > 0) setImmediate(next);
    call(argument);
  };
  return (argument) => {
    waiting.push(argument);
    if (waiting.length === 1) setImmediate(next);
  };
}
