import type { SessionLimits } from './session-limits.ts';

type Options = {
  limits: SessionLimits;
  /** Work on what the client has sent is not done, so it may be waiting for that. */
  isBusy(): boolean;
  onIdleSoon(): void;
  onIdle(): void;
  onTooLongSoon(): void;
  onTooLong(): void;
};

/** Measure how long a stream is silent and how long it has lasted. */
export type SessionTimers = {
  /** The client has sent something. */
  active(): void;
  stop(): void;
};

const secondLookMs = 100;

export function startSessionTimers({ limits, isBusy, ...on }: Options): SessionTimers {
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

  /** The process itself may have stood still: whatever arrived meanwhile is let in before the client is judged. */
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
