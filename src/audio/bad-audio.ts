/** Bytes that are no audio; the message is for the client. */
export class BadAudio extends Error {}
