import type { TextExtractor } from '../file-text/index.ts'
import type { ProviderSession } from './adapter.ts'
import { extractFile } from './extract-file.ts'

/** HTML as Markdown. @throws ProviderError */
export async function textOfHtml(
  reader: { session: ProviderSession; extractor: TextExtractor },
  html: string,
): Promise<string> {
  if (html.trim() === '') return ''
  const bytes = Buffer.from(html)
  return (await extractFile(reader, { format: 'html', bytes, charset: 'utf-8', path: '' })).text
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
