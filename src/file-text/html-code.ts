import type { DomNode, FormatCallback } from 'html-to-text'

/** Elements that end a line of code, for pages that draw each line as one. */
const LINES = new Set(['div', 'p', 'li', 'tr'])
const LANGUAGE = /(?:^|\s)(?:language|lang|highlight-source)-([\w+#.-]{1,20})/

/** `<pre>` as fenced code, with a fence long enough and the language if the page names it. */
export const formatCode: FormatCallback = (element, _walk, builder) => {
  const code = codeOf(element).replace(/^\n/, '').trimEnd()
  if (code === '') return
  const fence = '`'.repeat(Math.max(3, longestRun(code) + 1))
  builder.openBlock({ leadingLineBreaks: 2, isPre: true })
  builder.addLiteral(`${fence}${languageOf(element)}\n${code}\n${fence}`)
  builder.closeBlock({ trailingLineBreaks: 2 })
}

/** The text of an element without markup. Iterative, because nesting has no limit. */
function codeOf(element: DomNode): string {
  const pieces: string[] = []
  const stack: (DomNode | string)[] = [element]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (typeof node === 'string') pieces.push(node)
    else if (node.type === 'text') pieces.push(node.data ?? '')
    else if (node.name === 'br') pieces.push('\n')
    else if (node.type === 'tag') {
      if (LINES.has(node.name ?? '')) stack.push('\n')
      for (const child of (node.children ?? []).toReversed()) stack.push(child)
    }
  }
  return pieces.join('')
}

function languageOf(element: DomNode): string {
  const inner = (element.children ?? []).find(({ name }) => name === 'code')
  const names = [element, ...(inner ? [inner] : [])].map(({ attribs }) => String(attribs?.['class'] ?? ''))
  return LANGUAGE.exec(names.join(' ').slice(0, 500))?.[1] ?? ''
}

function longestRun(code: string): number {
  let longest = 0
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}
