/**
 * Counts that need not survive a restart, and that several machines can share. Each call is one decision. When the counts
 * cannot be reached, calls throw `unavailable`: no request is admitted without being counted.
 */
export interface Counters extends AsyncDisposable {
  /** Takes a token from a bucket that holds one second's worth; gives the milliseconds until there is one, 0 when taken. */
  takeToken(bucket: string, perSecond: number): Promise<number>;
  /** Takes one of `limit` permits of that name; false when all of them are taken. */
  takePermit(name: string, limit: number): Promise<boolean>;
  /** Never rejects: a permit that cannot be returned now expires soon. */
  returnPermit(name: string): Promise<void>;
  /** False when the name was noted before and has not been forgotten yet. */
  noteOnce(name: string, forgetAfterMs: number): Promise<boolean>;
  /** Counts one more, and gives the count. A count is forgotten when it was not raised for `forgetAfterMs`. */
  countUp(name: string, forgetAfterMs: number): Promise<number>;
  /** The count; 0 when it is forgotten. */
  readCount(name: string): Promise<number>;
  forgetCount(name: string): Promise<void>;
  /** Keeps a value that can be taken once, until it is forgotten. */
  putOneTimeValue(name: string, value: string, forgetAfterMs: number): Promise<void>;
  /** The first caller gets the value, everybody after that undefined. */
  takeOneTimeValue(name: string): Promise<string | undefined>;
}
