import {
  COMMAND_FILE_LIMITS,
  type ExtractedText,
  type ExtractInput,
  type TextExtractor,
  type TextFormat,
} from '../../src/file-text/index.ts'

/** Reads a file on the extraction thread, with the command line's limits; decodes text as UTF-8. */
export async function readFile(
  extractor: TextExtractor,
  format: TextFormat,
  content: Uint8Array | string,
  over: Partial<ExtractInput> = {},
): Promise<ExtractedText> {
  return await extractor.extract({
    format,
    bytes: typeof content === 'string' ? Buffer.from(content) : content,
    charset: null,
    path: '',
    maxTextBytes: COMMAND_FILE_LIMITS.textBytes,
    timeoutMs: COMMAND_FILE_LIMITS.timeoutMs,
    memoryMb: COMMAND_FILE_LIMITS.memoryMb,
    signal: new AbortController().signal,
    ...over,
  })
}
