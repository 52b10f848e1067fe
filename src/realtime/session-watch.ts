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
    const idleMs = performance.now() - lastActive;
    const markMs = (seconds: number) => seconds * 1000 - idleMs;
    if (markMs(limits.idleSeconds) <= 0) {
      on.onIdle();
      return;
    }
    if (!warned && markMs(limits.idleWarningSeconds) <= 0) {
      warned = true;
      on.onIdleSoon();
    }
    idleTimer = setTimeout(checkIdle, markMs(warned ? limits.idleSeconds : limits.idleWarningSeconds));
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
