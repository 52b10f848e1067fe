/**
 * The contract says 100 MB, but not which kind. We take the larger one, so that nobody with a file of "100 MB" is refused.
 * OpenAI counts in the same way: its 25 MB are 26,214,400 bytes.
 */
export const maxFileBytes = 100 * 1024 * 1024;

export const maxParts = 100;
export const maxNameBytes = 100;
export const maxValueBytes = 64 * 1024;
export const maxPartHeadBytes = 8 * 1024;
export const maxPreambleBytes = 8 * 1024;

/** The most that a body can contain besides the file. If a body is larger than both, its file is too large. */
const maxOtherBytes = maxParts * (maxValueBytes + maxPartHeadBytes);
export const maxBodyBytes = maxFileBytes + maxOtherBytes;

/** How many bytes of its file an upload may hold in memory until its last field has come (docs/decisions/015). */
export const maxHeldBytes = 32 * 1024 * 1024;
