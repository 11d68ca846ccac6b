import { citedIn, type Passages } from './marker.tsx'

/** An answer as people send it to others: with the titles and addresses of what it cites. */
export function answerToShare(text: string, passages: Passages): string {
  const sources = citedIn(text, passages).map((number) => {
    const { title = '', url = '' } = passages[number - 1] ?? {}
    return `[${number}] ${title}${url === '' ? '' : `: ${url}`}`
  })
  return sources.length === 0 ? text : `${text}\n\n${sources.join('\n')}`
}
