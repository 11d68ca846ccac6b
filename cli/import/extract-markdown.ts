import type { ExtractedDocument } from './extracted-document.ts'

const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]{0,20000}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/
const FRONT_MATTER_TITLE = /^title[ \t]*:[ \t]*(.+)$/m
const HTML_HEADING = /<h1[^>]{0,500}>([\s\S]{1,500}?)<\/h1>/i
const UNDERLINE = /^(?:={3,}|-{3,}|~{3,}|\^{3,}|"{3,}|\*{3,}|#{3,})$/
/** A title is looked for in so many characters of the text. */
const OPENING_CHARACTERS = 20_000

/**
 * Markdown: the title of its front matter, else its first heading. The front matter is no text. An HTML heading, often
 * a project's logo above every page, names the front page only.
 */
export function extractMarkdown(source: string, isFrontPage: boolean): ExtractedDocument {
  const frontMatter = FRONT_MATTER.exec(source)
  const text = frontMatter === null ? source : source.slice(frontMatter[0].length)
  const named = FRONT_MATTER_TITLE.exec(frontMatter?.[1] ?? '')?.[1]?.trim() ?? ''
  return { title: cleanTitle(named.replace(/^(["'])(.*)\1$/, '$2')) || firstHeading(text, isFrontPage), text }
}

/** reStructuredText: its first underlined heading. */
export function extractRst(text: string): ExtractedDocument {
  return { title: underlinedHeading(text.slice(0, OPENING_CHARACTERS).split(/\r?\n/)), text }
}

function firstHeading(text: string, isFrontPage: boolean): string {
  const opening = text.slice(0, OPENING_CHARACTERS)
  let inFence = false
  const lines: string[] = []
  for (const line of opening.split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) inFence = !inFence
    else if (!inFence) lines.push(line)
  }
  const headings = lines.filter((line) => /^ {0,3}#{1,6}[ \t]+\S/.test(line))
  const top = headings.find((line) => /^ {0,3}#[ \t]/.test(line))
  const markup = HTML_HEADING.exec(opening)?.[1] ?? ''
  const named = cleanTitle(markup.replace(/<[^>]{0,1000}>/g, ' '))
  const written = underlinedHeading(lines) || headingText(headings[0])
  return headingText(top) || (isFrontPage ? named || written : written || named)
}

function headingText(line = ''): string {
  return cleanTitle(line.replace(/^ {0,3}#+[ \t]+/, '').replace(/[ \t]+#+[ \t]*$/, ''))
}

function underlinedHeading(lines: readonly string[]): string {
  const at = lines.findIndex((line, index) => {
    const title = lines[index - 1]?.trim() ?? ''
    const before = lines[index - 2]?.trim() ?? ''
    return (
      UNDERLINE.test(line.trim()) &&
      title !== '' &&
      !UNDERLINE.test(title) &&
      (before === '' || UNDERLINE.test(before))
    )
  })
  return at === -1 ? '' : cleanTitle(lines[at - 1] ?? '')
}

/** A heading without the marks of images, links and emphasis, on one line. */
function cleanTitle(heading: string): string {
  return heading
    .slice(0, 1_000)
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/\[\]\([^)]*\)/g, '')
    .replace(/[`*]+/g, '')
    .replace(/\{#[^}]*\}\s*$/, '')
    .replace(/\s+/g, ' ')
    .trim()
}
