import DOMPurify from 'dompurify'
import { marked } from 'marked'
import { Children, createElement, type ReactNode, useMemo } from 'react'
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
const WITHOUT_CONTENT = new Set(['br', 'hr'])
/** In these a text is what it is. */
const VERBATIM = new Set(['a', 'code', 'pre'])
/** Between the parts of a table there is no text. */
const TABLE_PARTS = new Set(['table', 'tbody', 'thead', 'tr'])
/** More than any passage has; what comes after is cut. */
const CHARACTERS_MAX = 100_000
/** Deeper than people write; what is deeper is shown as text. */
const DEPTH_MAX = 40

type RenderText = (text: string) => ReactNode

const purifier = DOMPurify(globalThis.window)

/**
 * Text with Markdown from outside: an answer, a passage. Nothing of it runs or is fetched: it is sanitised, and of what
 * is left only known elements and links of safe kinds are built, by React. A text that grows keeps the elements that it
 * has, with what is focused in them.
 * @param renderText what stands for a piece of plain text, outside of code and links
 */
export function Markdown({ text, renderText }: { text: string; renderText?: RenderText }) {
  const fragment = useMemo(() => sanitised(text.slice(0, CHARACTERS_MAX)), [text])
  if (fragment === null) return <div className={classes.markdown}>{text.slice(0, CHARACTERS_MAX)}</div>
  return <div className={classes.markdown}>{childrenOf(fragment, renderText, 0)}</div>
}

/** Null for what is nested so deeply that it cannot be read as Markdown. */
function sanitised(text: string): DocumentFragment | null {
  try {
    return purifier.sanitize(marked.parse(text, { async: false, gfm: true }), {
      ALLOWED_TAGS,
      ALLOWED_ATTR: ['href', 'start'],
      ALLOW_DATA_ATTR: false,
      ALLOW_ARIA_ATTR: false,
      RETURN_DOM_FRAGMENT: true,
    })
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function childrenOf(parent: Node, renderText: RenderText | undefined, depth: number): ReactNode {
  if (depth > DEPTH_MAX) return parent.textContent
  // Keys by their place: of a text that grows the elements before its end stay the same.
  return Children.toArray([...parent.childNodes].map((node) => nodeOf(node, renderText, depth + 1)))
}

function nodeOf(node: Node, renderText: RenderText | undefined, depth: number): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) {
    if (TABLE_PARTS.has(node.parentElement?.localName ?? '')) return null
    return renderText?.(node.nodeValue ?? '') ?? node.nodeValue
  }
  if (!(node instanceof Element)) return null
  const tag = node.localName
  if (!ALLOWED_TAGS.includes(tag)) return node.textContent
  if (WITHOUT_CONTENT.has(tag)) return createElement(tag)
  const children = childrenOf(node, VERBATIM.has(tag) ? undefined : renderText, depth)
  if (tag === 'a') return linkOf(node, children)
  const start = tag === 'ol' ? Number(node.getAttribute('start') ?? 1) : 1
  return createElement(tag, start === 1 ? null : { start }, children)
}

function linkOf(node: Element, children: ReactNode): ReactNode {
  const href = safeAddress(node.getAttribute('href') ?? '')
  if (href === null) return children
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
