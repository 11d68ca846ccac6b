import {
  type ExtractedText,
  ExtractionError,
  type ExtractInput,
  type TextExtractor,
} from '../file-text/index.ts'
import { ProviderError, type ProviderSession } from './adapter.ts'

type Session = Pick<ProviderSession, 'limits' | 'signal'>
type File = Pick<ExtractInput, 'format' | 'bytes' | 'charset' | 'path'>

/** The text of a file within a run's limits, at most `share` of an item's text. @throws ProviderError */
export async function extractFile(
  { session, extractor }: { session: Session; extractor: TextExtractor },
  file: File,
  share = 1,
): Promise<ExtractedText> {
  const { limits, signal } = session
  try {
    return await extractor.extract({
      ...file,
      maxTextBytes: Math.floor(limits.maxTextBytes * share),
      timeoutMs: limits.extractTimeoutMs,
      memoryMb: limits.extractMemoryMb,
      signal,
    })
  } catch (error) {
    if (!(error instanceof ExtractionError)) throw error
    throw new ProviderError('rejected', error.message, { cause: error })
  }
}

/** The code of an error about a file or an answer above its limit. */
export const TOO_LARGE = 'too_large'

export function tooLarge({ limits }: Pick<Session, 'limits'>, what = 'The file'): ProviderError {
  const mib = Math.round(limits.maxDownloadBytes / 2 ** 20)
  return new ProviderError('rejected', `${what} is larger than ${mib} MiB and is not read`, {
    code: TOO_LARGE,
  })
}
