import { safeAddress } from '../../ui/links.tsx'
import { citedIn, type Passages, renumbered } from './marker.tsx'

/** An answer to copy, as Markdown: its text, then its citations in order with links to the originals. */
export function answerToShare(text: string, passages: Passages): string {
  const cited = citedIn(text, passages)
  const sources = cited.map((number, place) => {
    const { title = '', url = '' } = passages[number - 1] ?? {}
    const words = title.replaceAll(/[\\[\]]/g, String.raw`\$&`)
    // A parenthesis would end the link.
    const address = safeAddress(url)?.replaceAll('(', '%28').replaceAll(')', '%29')
    return `- [${place + 1}] ${address === undefined ? words : `[${words}](${address})`}`
  })
  return sources.length === 0 ? text : `${renumbered(text, cited)}\n\n${sources.join('\n')}`
}
