/** How long a stream may be, and how far its audio may run ahead. */
export type SessionLimits = {
  maxFrameBytes: number;
  /** Of audio that was received and not yet recognised, while it comes quicker than it is spoken. */
  warnBufferedSeconds: number;
  maxBufferedSeconds: number;
  /** Without audio or a keepalive. */
  idleWarningSeconds: number;
  idleSeconds: number;
  maxSessionSeconds: number;
  /** Before the longest session ends. */
  sessionWarningSeconds: number;
  /** Audio is reserved this far ahead, and charged in steps of this length. */
  billingStepSeconds: number;
  /** How long a stream may go on while the database is away. It is charged afterwards. */
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
