import type { SessionLimits } from './session-limits.ts';

type Options = {
  limits: SessionLimits;
  /** The client cannot be expected to send: what it sent is still being worked on. */
  isBusy(): boolean;
  onIdleSoon(): void;
  onIdle(): void;
  onTooLongSoon(): void;
  onTooLong(): void;
};

/** Watches how long a stream is silent and how long it has lasted. */
export type SessionWatch = { active(): void; stop(): void };

const secondLookMs = 100;

export function watchSession({ limits, isBusy, ...on }: Options): SessionWatch {
  let lastActive = performance.now();
  let warned = false;
  let idleTimer = setTimeout(checkIdle, limits.idleWarningSeconds * 1000);
  const lengthTimers = [
    setTimeout(on.onTooLongSoon, (limits.maxSessionSeconds - limits.sessionWarningSeconds) * 1000),
    setTimeout(on.onTooLong, limits.maxSessionSeconds * 1000),
  ];

  function checkIdle(): void {
    if (isBusy()) active();
    const leftMs = limits.idleWarningSeconds * 1000 - (performance.now() - lastActive);
    if (leftMs > 0) {
      idleTimer = setTimeout(checkIdle, leftMs);
      return;
    }
    warned = true;
    on.onIdleSoon();
    idleTimer = setTimeout(lookAgain, (limits.idleSeconds - limits.idleWarningSeconds) * 1000);
  }

  /** After a while in which this process did not run, what has come meanwhile is seen before it is judged. */
  function lookAgain(): void {
    idleTimer = setTimeout(() => {
      if (warned && !isBusy()) on.onIdle();
      else checkIdle();
    }, secondLookMs);
  }

  function active(): void {
    lastActive = performance.now();
    warned = false;
  }

  return {
    active,
    stop() {
      clearTimeout(idleTimer);
      for (const timer of lengthTimers) clearTimeout(timer);
    },
  };
}
