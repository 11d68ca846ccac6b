import { findBlocks } from '../text/blocks.ts'
import type { FileText } from './file-text.ts'
import { isFrontPage } from './title-from-path.ts'

/** How far into the text a title is searched. */
const OPENING_CHARACTERS = 20_000
const FRONT_MATTER =
  /^(?:---[ \t]*\r?\n([\s\S]{0,20000}?)\r?\n(?:---|\.\.\.)|\+{3}[ \t]*\r?\n([\s\S]{0,20000}?)\r?\n\+{3})[ \t]*(?:\r?\n|$)/
/** YAML's `title: …` or TOML's `title = …`; a folded text is on the next line. */
const FRONT_MATTER_TITLE = /^title[ \t]{0,20}[:=][ \t]{0,20}(?:[>|][-+]?[ \t]{0,20}\r?\n[ \t]{1,20})?(\S.*)$/m
/** The title of an MDX page: `export const metadata = { title: 'Name' }`, `<Meta title="Name" />`. */
const MDX_TITLE =
  /^(?:export const (?:meta|metadata|frontmatter)\b[^\n]{0,200}?\{[^}]{0,2000}?\btitle:|<Meta\s[^>]{0,500}?\btitle=)\s{0,20}(["'`])([^"'`\n]{1,300})\1/m
const HTML_HEADING = /<h1\b([^>]{0,500})>([\s\S]{1,500}?)<\/h1>/i
/** A heading that shows the project rather than the page. */
const LOGO = /<img|!\[|\bcenter\b/i
const FENCE = /^[ \t]{0,100}(`{3,}|~{3,})/
const UNDERLINE = /^(?:={3,}|-{3,}|~{3,}|\^{3,}|"{3,}|\*{3,}|#{3,})$/

/** Generic sections, which do not name the page's subject. */
const SECTIONS = new Set(
  (
    'about|api|api reference|arguments|background|basic usage|changelog|configuration|contents|credits|demo|description|' +
    'details|example|examples|faq|features|getting started|how it works|import|install|installation|introduction|license|' +
    'motivation|notes|options|overview|parameters|prerequisites|props|quick start|quickstart|reference|references|' +
    'related|requirements|returns|see also|setup|signature|summary|syntax|table of contents|tl;dr|todo|usage|why'
  ).split('|'),
)

/**
 * Markdown or MDX without its front matter and the lines that are comments. The title is that of the front matter, else the first top-level
 * heading, else a lower one that is alone at its level and not generic. An HTML heading counts too; one with
 * a logo, which projects put above every page, names only the front page. `path` shows whether this is one.
 */
export function readMarkdown(source: string, path: string): FileText {
  const frontMatter = FRONT_MATTER.exec(source)
  const text = withoutComments(frontMatter === null ? source : source.slice(frontMatter[0].length))
  const named = FRONT_MATTER_TITLE.exec(frontMatter?.[1] ?? frontMatter?.[2] ?? '')?.[1] ?? ''
  return { title: cleanTitle(unquoted(named)) || titleInText(text.slice(0, OPENING_CHARACTERS), path), text }
}

/** Without lines that are only an HTML comment, which readers of the page do not see. Fenced code keeps them. */
function withoutComments(text: string): string {
  if (!text.includes('<!--')) return text
  let fence = ''
  const isShown = (line: string): boolean => {
    const mark = FENCE.exec(line)?.[1] ?? ''
    if (fence === '') fence = mark
    else if (mark.startsWith(fence)) fence = ''
    if (fence !== '' || mark !== '') return true
    const content = line.trim()
    return !(content.startsWith('<!--') && content.indexOf('-->') === content.length - '-->'.length)
  }
  return text.split('\n').filter(isShown).join('\n')
}

/** reStructuredText; its title is the first underlined heading. */
export function readRst(text: string): FileText {
  return { title: underlinedHeading(text.slice(0, OPENING_CHARACTERS).split(/\r?\n/)), text }
}

const unquoted = (value: string) => value.trim().replace(/^(["'])(.*)\1$/, '$2')

function titleInText(opening: string, path: string): string {
  const headings = findHeadings(opening.replaceAll('\r\n', '\n'))
  const [top, ...others] = headings.filter(({ level }) => level === 1)
  // A page with only top-level sections has no heading of its own, and "Examples" does not say of what.
  const isMere = top !== undefined && (others.length === 0 ? isOfSomething(top) : isSection(top))
  if (top && !isMere) return top.title
  const [, attributes = '', markup = ''] = HTML_HEADING.exec(opening) ?? []
  const written = cleanTitle(markup.replace(/<[^>]{0,1000}>/g, ' ').replace(/\{\/\*.{0,500}?\*\/\}/g, ' '))
  const isLogo = LOGO.test(attributes) || LOGO.test(markup)
  if (written !== '' && (!isLogo || isFrontPage(path))) return written
  return cleanTitle(MDX_TITLE.exec(opening)?.[2] ?? '') || loneHeading(headings)
}

interface Heading {
  level: number
  title: string
}

/** The non-empty headings of a text, in order, ignoring `#` in code. */
function findHeadings(text: string): Heading[] {
  return findBlocks(text)
    .filter(({ kind }) => kind === 'heading')
    .map(({ start, end }) => {
      const source = text.slice(start, end)
      const marks = /^#{1,6}(?=[ \t])/.exec(source)?.[0].length
      const level = marks ?? (/\n[ \t]*=+[ \t]*$/.test(source) ? 1 : 2)
      const line = source.slice(0, source.indexOf('\n') === -1 ? source.length : source.indexOf('\n'))
      return { level, title: cleanTitle(line.replace(/^#{1,6}[ \t]+/, '').replace(/[ \t]#+$/, '')) }
    })
    .filter(({ title }) => title !== '')
}

/** The heading of the highest level, if it is alone there and not generic. */
function loneHeading(headings: readonly Heading[]): string {
  const highest = Math.min(...headings.map(({ level }) => level))
  const [first, second] = headings.filter(({ level }) => level === highest)
  return first === undefined || second !== undefined || isSection(first) ? '' : first.title
}

/** Sections of something that they do not name. */
const OF_SOMETHING = new Set([
  'arguments',
  'example',
  'examples',
  'options',
  'parameters',
  'props',
  'returns',
])
const isOfSomething = ({ title }: Heading) => OF_SOMETHING.has(title.toLowerCase())
const isSection = ({ title }: Heading) => SECTIONS.has(title.toLowerCase())

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

/** A heading on one line, without images, links and emphasis. */
function cleanTitle(heading: string): string {
  return heading
    .slice(0, 1_000)
    .replace(/!\[[^[\]]*\]\([^()]*\)/g, '')
    .replace(/\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g, '$1')
    .replace(/\[\]\([^()]*\)/g, '')
    .replace(/<\/?[a-zA-Z][^<>]{0,200}>/g, '')
    .replace(/[`*]+/g, '')
    .replace(/\{#[^}]*\}\s*$/, '')
    .replace(/\s+/g, ' ')
    .trim()
}
