const MIB = 1024 * 1024

/** Limits on reading one file and on its text. */
export interface FileLimits {
  /** Larger files are not read. */
  fileBytes: number
  /** UTF-8 bytes of text to keep. */
  textBytes: number
  timeoutMs: number
  /** Heap and buffers of the reading thread together. */
  memoryMb: number
}

/** For the service, which does other work at the same time. */
export const SERVICE_FILE_LIMITS: FileLimits = {
  fileBytes: 25 * MIB,
  textBytes: MIB,
  timeoutMs: 20_000,
  memoryMb: 256,
}

/** For a command that a user runs for these files; it later splits the texts. */
export const COMMAND_FILE_LIMITS: FileLimits = {
  fileBytes: 100 * MIB,
  textBytes: 100 * MIB,
  timeoutMs: 60_000,
  memoryMb: 1_024,
}
