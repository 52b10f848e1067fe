/**
 * The contract says 100 MB and not which kind. The larger reading is taken: nobody who counts in either is refused a file of
 * "100 MB", and OpenAI's own limits are counted in these too (its 25 MB are 26,214,400 bytes).
 */
export const maxFileBytes = 100 * 1024 * 1024;

export const maxParts = 100;
export const maxNameBytes = 100;
export const maxValueBytes = 64 * 1024;
export const maxPartHeadBytes = 8 * 1024;
export const maxPreambleBytes = 8 * 1024;

/** Everything in a body that is not the file: more of it than this can only be a file that is too large. */
const maxOtherBytes = maxParts * (maxValueBytes + maxPartHeadBytes);
export const maxBodyBytes = maxFileBytes + maxOtherBytes;

/** What one upload may keep in memory until its last field has come. See docs/decisions/015. */
export const maxHeldBytes = 32 * 1024 * 1024;
