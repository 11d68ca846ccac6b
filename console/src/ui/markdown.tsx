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
const SCROLLED: ReadonlySet<string> = new Set(['pre', 'table'])
/** Elements whose text is rendered as is. */
const VERBATIM = new Set(['a', 'code', 'pre'])
/** Whitespace between these elements is not rendered. */
const TABLE_PARTS = new Set(['table', 'tbody', 'thead', 'tr'])
/** Longer than any passage; the rest is cut off. */
const CHARACTERS_MAX = 100_000
/** The maximum nesting of elements. Deeper Markdown is shown as text. */
const DEPTH_MAX = 40

type RenderText = (text: string) => ReactNode
type RenderNode = (node: Node) => ReactNode
/** Renders text nodes outside code and links, or all of them. */
interface Renderers {
  renderText?: RenderText | undefined
  renderNode?: RenderNode
}
/** A range of characters, excluding `to`. */
interface MarkedPart {
  from: number
  to: number
}

const purifier = DOMPurify(globalThis.window)

/**
 * Renders untrusted Markdown, such as an answer or a passage. The HTML is sanitized, and React builds only known
 * elements and safe links, so that nothing runs or loads. While a text streams, existing elements and their focus are
 * kept.
 * @param renderText renders plain text outside code and links
 * @param breaks whether line breaks are kept, as in messages
 */
export function Markdown({
  text,
  renderText,
  breaks = false,
}: {
  text: string
  renderText?: RenderText
  breaks?: boolean
}) {
  const fragment = useMemo(() => sanitised(text.slice(0, CHARACTERS_MAX), breaks), [text, breaks])
  if (fragment === null) return <div className={classes.markdown}>{text.slice(0, CHARACTERS_MAX)}</div>
  return <div className={classes.markdown}>{childrenOf(fragment, { renderText }, 0)}</div>
}

/**
 * Markdown with highlighted ranges of its rendered text, which can cross elements.
 * @param find returns the ranges to highlight in the text without Markdown; they must not overlap
 */
export function MarkedMarkdown({
  text,
  breaks,
  find,
  className,
}: {
  text: string
  breaks: boolean
  find: (rendered: string) => readonly MarkedPart[]
  className: string | undefined
}) {
  const drawn = useMemo(() => {
    const cut = text.slice(0, CHARACTERS_MAX)
    const fragment = sanitised(cut, breaks)
    if (fragment === null) return cut
    const starts = textStarts(fragment)
    const parts = find(fragment.textContent)
    const renderNode: RenderNode = (node) => markParts(node, starts.get(node) ?? 0, parts, className)
    return childrenOf(fragment, { renderNode }, 0)
  }, [text, breaks, find, className])
  return <div className={classes.markdown}>{drawn}</div>
}

/** The offset of each text node in the whole text. */
function textStarts(fragment: DocumentFragment): Map<Node, number> {
  const starts = new Map<Node, number>()
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT)
  let at = 0
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    starts.set(node, at)
    at += node.nodeValue?.length ?? 0
  }
  return starts
}

function markParts(
  node: Node,
  start: number,
  parts: readonly MarkedPart[],
  className: string | undefined,
): ReactNode {
  const text = node.nodeValue ?? ''
  const pieces: ReactNode[] = []
  let done = 0
  for (const { from, to } of parts) {
    const [first, last] = [Math.max(done, from - start), Math.min(text.length, to - start)]
    if (first >= last) continue
    pieces.push(
      text.slice(done, first),
      createElement('mark', { key: first, className }, text.slice(first, last)),
    )
    done = last
  }
  return pieces.length === 0 ? text : [...pieces, text.slice(done)]
}

/** The sanitized HTML; null if it is nested too deeply. */
function sanitised(text: string, breaks: boolean): DocumentFragment | null {
  try {
    return purifier.sanitize(marked.parse(text, { async: false, gfm: true, breaks }), {
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

function childrenOf(parent: Node, renderers: Renderers, depth: number): ReactNode {
  if (depth > DEPTH_MAX) return parent.textContent
  // Keys by position: while a text streams, the elements before its end keep theirs.
  return Children.toArray([...parent.childNodes].map((node) => nodeOf(node, renderers, depth + 1)))
}

function nodeOf(node: Node, renderers: Renderers, depth: number): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) {
    if (TABLE_PARTS.has(node.parentElement?.localName ?? '')) return null
    const { renderNode, renderText } = renderers
    return renderNode?.(node) ?? renderText?.(node.nodeValue ?? '') ?? node.nodeValue
  }
  if (!(node instanceof Element)) return null
  const tag = node.localName
  if (!ALLOWED_TAGS.includes(tag)) return node.textContent
  if (WITHOUT_CONTENT.has(tag)) return createElement(tag)
  const children = childrenOf(node, VERBATIM.has(tag) ? withoutText(renderers) : renderers, depth)
  if (tag === 'a') return linkOf(node, children)
  // Scrollable areas need keyboard focus.
  if (SCROLLED.has(tag)) return createElement(tag, { tabIndex: 0 }, children)
  const start = tag === 'ol' ? Number(node.getAttribute('start') ?? 1) : 1
  return createElement(tag, start === 1 ? null : { start }, children)
}

function withoutText({ renderNode }: Renderers): Renderers {
  return renderNode ? { renderNode } : {}
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
