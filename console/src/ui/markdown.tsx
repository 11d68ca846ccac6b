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
/** Deeper than people write. Anything deeper is shown as text. */
const DEPTH_MAX = 40

type RenderText = (text: string) => ReactNode
type RenderNode = (node: Node) => ReactNode
/** How to render texts outside code and links, or everywhere. */
interface Renderers {
  renderText?: RenderText | undefined
  renderNode?: RenderNode
}
/** From a character to the one before `to`. */
interface MarkedPart {
  from: number
  to: number
}

const purifier = DOMPurify(globalThis.window)

/**
 * Text with Markdown from outside: an answer, a passage. Nothing of it runs or is fetched: it is sanitised, and of what
 * is left only known elements and links of safe kinds are built, by React. A text that grows keeps the elements that it
 * has, with what is focused in them.
 * @param renderText renders plain text outside code and links
 * @param breaks whether a line of the text is a line of its own, as in messages
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
 * The same with parts of its rendered text marked, wherever elements begin and end in them.
 * @param find the parts to mark, in the text without Markdown: none of them overlap
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

/** Where each text node begins in the text of all. */
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

/** Null if it is nested too deeply for Markdown. */
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
  // Keys by their place: of a text that grows the elements before its end stay the same.
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
