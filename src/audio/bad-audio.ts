/** The bytes are not audio; the message is for the client. */
export class BadAudio extends Error {}
