/**
 * The counts that need not survive a restart, and that several machines can share: one call, one decision. Where they
 * cannot be asked, they throw `unavailable`: nobody is let in uncounted.
 */
export interface Counters extends AsyncDisposable {
  /** Takes a token from a bucket that holds one second's worth; gives the milliseconds until there is one, 0 when taken. */
  takeToken(bucket: string, perSecond: number): Promise<number>;
  /** False when all places are taken. */
  takePlace(room: string, places: number): Promise<boolean>;
  /** Never rejects: a place that cannot be given back now is free again by itself soon. */
  leavePlace(room: string): Promise<void>;
  /** False when the name was noted before and has not been forgotten yet. */
  noteOnce(name: string, forgetAfterMs: number): Promise<boolean>;
  /** How often this has happened, this time included, since it last did not happen for `forgetAfterMs`. */
  countUp(name: string, forgetAfterMs: number): Promise<number>;
  /** How often it has happened, as long as that is not forgotten. */
  readCount(name: string): Promise<number>;
  forgetCount(name: string): Promise<void>;
  /** Leaves something for whoever asks for it by its name first, until it is forgotten. */
  leaveParcel(name: string, content: string, forgetAfterMs: number): Promise<void>;
  /** Once: whoever asks after that gets nothing. */
  takeParcel(name: string): Promise<string | undefined>;
}
