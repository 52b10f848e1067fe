/** Ids of Matroska's elements (RFC 9559 §5), under the names that the specification gives them. */

/** What a reader meets on its way through a file, tracks aside. */
export const elementIds = {
  ebml: 0x1a45dfa3,
  void: 0xec,
  crc32: 0xbf,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  cues: 0x1c53bb6b,
  tags: 0x1254c367,
  attachments: 0x1941a469,
  chapters: 0x1043a770,

  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  segmentUuid: 0x73a4,
  segmentFilename: 0x7384,
  prevUuid: 0x3cb923,
  prevFilename: 0x3c83ab,
  nextUuid: 0x3eb923,
  nextFilename: 0x3e83bb,
  segmentFamily: 0x4444,
  chapterTranslate: 0x6924,
  dateUtc: 0x4461,
  title: 0x7ba9,
  muxingApp: 0x4d80,
  writingApp: 0x5741,

  tracks: 0x1654ae6b,
  trackEntry: 0xae,

  cluster: 0x1f43b675,
  timestamp: 0xe7,
  position: 0xa7,
  prevSize: 0xab,
  silentTracks: 0x5854,
  simpleBlock: 0xa3,
  encryptedBlock: 0xaf,

  blockGroup: 0xa0,
  block: 0xa1,
  blockVirtual: 0xa2,
  blockAdditions: 0x75a1,
  blockDuration: 0x9b,
  referencePriority: 0xfa,
  referenceBlock: 0xfb,
  codecState: 0xa4,
  discardPadding: 0x75a2,
  slices: 0x8e,
} as const;

/** What is read of a TrackEntry. */
export const trackIds = {
  trackNumber: 0xd7,
  trackType: 0x83,
  codecId: 0x86,
  codecPrivate: 0x63a2,
  audio: 0xe1,
  samplingFrequency: 0xb5,
  channels: 0x9f,
  bitDepth: 0x6264,
  contentEncodings: 0x6d80,
  contentCompression: 0x5034,
  contentCompAlgo: 0x4254,
  contentCompSettings: 0x4255,
  contentEncryption: 0x5035,
} as const;
