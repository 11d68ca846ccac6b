export { createTextExtractor, ExtractionError, type TextExtractor } from './text-extractor.ts'
