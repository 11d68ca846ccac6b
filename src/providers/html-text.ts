import { ExtractionError, type TextExtractor } from '../file-text/index.ts'
import { ProviderError, type ProviderSession } from './adapter.ts'

/** HTML as Markdown. Throws ProviderError. */
export async function textOfHtml(
  { session, extractor }: { session: ProviderSession; extractor: TextExtractor },
  html: string,
): Promise<string> {
  if (html.trim() === '') return ''
  const { limits, signal } = session
  try {
    const { text } = await extractor.extract({
      format: 'html',
      bytes: Buffer.from(html),
      charset: 'utf-8',
      path: '',
      maxTextBytes: limits.maxTextBytes,
      timeoutMs: limits.extractTimeoutMs,
      memoryMb: limits.extractMemoryMb,
      signal,
    })
    return text
  } catch (error) {
    if (!(error instanceof ExtractionError)) throw error
    throw new ProviderError('rejected', error.message, { cause: error })
  }
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
