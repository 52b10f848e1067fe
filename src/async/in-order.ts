/** Does what it is given one after the other, in the order in which it was given; what fails does not hold up the next. */
export type InOrder = <Result>(work: () => Result | Promise<Result>) => Promise<Result>;

export function createInOrder(): InOrder {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
