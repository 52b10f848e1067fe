/** Speakers are counted from 0 on the wire, and shown from 1 to people. */
export function speakerNumber(speaker: number): number {
  return speaker + 1;
}

export function speakerName(speaker: number): string {
  return `Speaker ${speakerNumber(speaker)}`;
}
