import { citedIn, type Passages } from './marker.tsx'

/** An answer to copy, with the titles and URLs of its citations. */
export function answerToShare(text: string, passages: Passages): string {
  const sources = citedIn(text, passages).map((number) => {
    const { title = '', url = '' } = passages[number - 1] ?? {}
    return `[${number}] ${title}${url === '' ? '' : `: ${url}`}`
  })
  return sources.length === 0 ? text : `${text}\n\n${sources.join('\n')}`
}
