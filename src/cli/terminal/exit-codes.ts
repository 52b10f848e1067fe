/** The codes that shells expect: 128 plus the signal's number when a signal ended the work. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, interrupted: 130, terminated: 143 } as const;
