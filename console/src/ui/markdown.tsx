import DOMPurify from 'dompurify'
import { marked } from 'marked'
import { useMemo } from 'react'
import { safeAddress } from './links.tsx'
import classes from './markdown.module.css'

const ALLOWED_TAGS = [
  'a',
  'blockquote',
  'br',
  'code',
  'del',
  'em',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
  'li',
  'ol',
  'p',
  'pre',
  'strong',
  'sup',
  'table',
  'tbody',
  'td',
  'th',
  'thead',
  'tr',
  'ul',
]
/** More than any passage has; what comes after is cut. */
const CHARACTERS_MAX = 100_000

const purifier = DOMPurify(globalThis.window)
purifier.addHook('afterSanitizeAttributes', (node) => {
  const href = node.getAttribute('href')
  if (href === null) return
  const safe = safeAddress(href)
  if (safe === null) node.removeAttribute('href')
  else {
    node.setAttribute('href', safe)
    node.setAttribute('target', '_blank')
    node.setAttribute('rel', 'noopener noreferrer')
  }
})

/**
 * Text with Markdown from outside: an answer, a passage. Nothing of it runs or is fetched, since only text and links of
 * safe kinds are kept.
 */
export function Markdown({ text }: { text: string }) {
  const html = useMemo(
    () =>
      purifier.sanitize(marked.parse(text.slice(0, CHARACTERS_MAX), { async: false, gfm: true }), {
        ALLOWED_TAGS,
        ALLOWED_ATTR: ['href', 'start'],
        ALLOW_DATA_ATTR: false,
        ALLOW_ARIA_ATTR: false,
      }),
    [text],
  )
  return <div className={classes.markdown} dangerouslySetInnerHTML={{ __html: html }} />
}
