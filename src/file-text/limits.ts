const MIB = 1024 * 1024

/** What reading one file may cost, and how much of its text is kept. */
export interface FileLimits {
  /** Of the file itself; larger ones are not read. */
  fileBytes: number
  /** UTF-8 bytes of text that are kept. */
  textBytes: number
  timeoutMs: number
  /** Heap and buffers together of the thread that reads. */
  memoryMb: number
}

/** In the service, beside everything else that it does. */
export const SERVICE_FILE_LIMITS: FileLimits = {
  fileBytes: 25 * MIB,
  textBytes: MIB,
  timeoutMs: 20_000,
  memoryMb: 256,
}

/** In a command that somebody runs for these files; its texts are cut into parts afterwards. */
export const COMMAND_FILE_LIMITS: FileLimits = {
  fileBytes: 100 * MIB,
  textBytes: 100 * MIB,
  timeoutMs: 60_000,
  memoryMb: 1_024,
}
