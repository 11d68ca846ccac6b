/** Extracts a file's title and text from its bytes. */
export { decodeText } from './decode-text.ts'
export { COMMAND_FILE_LIMITS, SERVICE_FILE_LIMITS } from './limits.ts'
export {
  createTextExtractor,
  type ExtractedText,
  ExtractionError,
  type ExtractInput,
  type TextExtractor,
} from './text-extractor.ts'
export { type TextFormat, textFormatOf } from './text-format.ts'
