import {
  type ExtractedText,
  ExtractionError,
  type ExtractInput,
  type TextExtractor,
} from '../file-text/index.ts'
import { ProviderError, type ProviderSession } from './adapter.ts'

type Session = Pick<ProviderSession, 'limits' | 'signal'>
type File = Pick<ExtractInput, 'format' | 'bytes' | 'charset' | 'path'>

/** The text of a file within a run's limits; an item has room for `parts` such texts. @throws ProviderError */
export async function extractFile(
  { session, extractor }: { session: Session; extractor: TextExtractor },
  file: File,
  parts = 1,
): Promise<ExtractedText> {
  try {
    return await extractor.extract({ ...file, ...extractLimits(session, parts) })
  } catch (error) {
    if (!(error instanceof ExtractionError)) throw error
    throw new ProviderError('rejected', error.message, { cause: error })
  }
}

export function extractLimits({ limits, signal }: Session, parts = 1): Omit<ExtractInput, keyof File> {
  return {
    maxTextBytes: Math.floor(limits.maxTextBytes / parts),
    timeoutMs: limits.extractTimeoutMs,
    memoryMb: limits.extractMemoryMb,
    signal,
  }
}

export function tooLarge({ limits }: Pick<Session, 'limits'>, what = 'The file'): ProviderError {
  const mib = Math.round(limits.maxDownloadBytes / 2 ** 20)
  return new ProviderError('rejected', `${what} is larger than ${mib} MiB and is not read`)
}
