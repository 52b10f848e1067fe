/** How long a stream may be, and how far its audio may run ahead. */
export type SessionLimits = {
  maxFrameBytes: number;
  /** Audio received and not yet heard, while it comes quicker than it is spoken. */
  warnBufferedSeconds: number;
  maxBufferedSeconds: number;
  /** Without audio or a keepalive. */
  idleWarningSeconds: number;
  idleSeconds: number;
  maxSessionSeconds: number;
  /** Before the longest session ends. */
  sessionWarningSeconds: number;
  /** Audio is reserved this far ahead, and charged as often. */
  billingStepSeconds: number;
  /** How long a stream goes on, and is charged afterwards, while nobody can be asked whether it may. */
  creditSeconds: number;
};

export const defaultSessionLimits: SessionLimits = {
  maxFrameBytes: 256 * 1024,
  warnBufferedSeconds: 20,
  maxBufferedSeconds: 30,
  idleWarningSeconds: 20,
  idleSeconds: 30,
  maxSessionSeconds: 4 * 3600,
  sessionWarningSeconds: 60,
  billingStepSeconds: 15,
  creditSeconds: 120,
};
