/** On the wire, speakers are counted from 0. People see them counted from 1. */
export function speakerNumber(speaker: number): number {
  return speaker + 1;
}

export function speakerName(speaker: number): string {
  return `Speaker ${speakerNumber(speaker)}`;
}
