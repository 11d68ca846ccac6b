/** Extracts a file's title and text from its bytes. */
export { decodeText } from './decode-text.ts'
export { shortTitle, sourceKindOf } from './describe-document.ts'
export { COMMAND_FILE_LIMITS, SERVICE_FILE_LIMITS } from './limits.ts'
export { type Recognition, recognitionOf } from './read-scans.ts'
export {
  createTextExtractor,
  type ExtractedText,
  ExtractionError,
  type ExtractInput,
  type TextExtractor,
} from './text-extractor.ts'
export { ocrSetting } from './ocr/ocr-setting.ts'
export { FORMATS_IN_WORDS, type TextFormat, textFormatOf } from './text-format.ts'
