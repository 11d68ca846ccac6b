import { safeAddress } from '../../ui/links.tsx'
import { citedIn, type Passages } from './marker.tsx'

/** An answer to copy, as Markdown: its text, then its citations with links to the originals. */
export function answerToShare(text: string, passages: Passages): string {
  const sources = citedIn(text, passages).map((number) => {
    const { title = '', url = '' } = passages[number - 1] ?? {}
    const words = title.replaceAll(/[\\[\]]/g, String.raw`\$&`)
    // A parenthesis would end the link.
    const address = safeAddress(url)?.replaceAll('(', '%28').replaceAll(')', '%29')
    return `- [${number}] ${address === undefined ? words : `[${words}](${address})`}`
  })
  return sources.length === 0 ? text : `${text}\n\n${sources.join('\n')}`
}
