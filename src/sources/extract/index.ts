export { createTextExtractor, type TextExtractor } from './text-extractor.ts'
