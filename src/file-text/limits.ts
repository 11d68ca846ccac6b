const MIB = 1024 * 1024

/** Larger images are not decoded: a page of A4 at 600 dpi has 35 million pixels. */
export const PIXELS_MAX = 40_000_000

/** Limits on recognizing one document's pages; each page has the file's limits of time and memory besides. */
export interface RecognitionLimits {
  pages: number
  timeoutMs: number
}

export interface FileLimits {
  /** Larger files are not read. */
  fileBytes: number
  /** UTF-8 bytes of text to keep. */
  textBytes: number
  timeoutMs: number
  /** Heap and buffers of the reading thread together. */
  memoryMb: number
  recognition: RecognitionLimits
}

/** For the service, which does other work at the same time. */
export const SERVICE_FILE_LIMITS: FileLimits = {
  fileBytes: 25 * MIB,
  textBytes: MIB,
  timeoutMs: 20_000,
  memoryMb: 256,
  recognition: { pages: 100, timeoutMs: 300_000 },
}

/** For a command that a user runs for these files; it later splits the texts. */
export const COMMAND_FILE_LIMITS: FileLimits = {
  fileBytes: 100 * MIB,
  textBytes: 100 * MIB,
  timeoutMs: 60_000,
  memoryMb: 1_024,
  recognition: { pages: 1_000, timeoutMs: 3_600_000 },
}
