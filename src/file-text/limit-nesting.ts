import { Tokenizer } from 'htmlparser2'
import { IGNORED_MARKUP } from '../text/ignored-markup.ts'

const VOID = new Set(
  'area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr'.split(
    ' ',
  ),
)
/** Elements that implicitly close open ones of the given kinds. */
const ENDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['p', ['p']],
  ['li', ['li']],
  ['dt', ['dt', 'dd']],
  ['dd', ['dt', 'dd']],
  ['tr', ['tr', 'th', 'td']],
  ['td', ['th', 'td']],
  ['th', ['th']],
  ['option', ['option']],
])
const NAME_CHARACTERS_MAX = 40
/** The package that converts pages looks names up in an object, which has this one from the beginning. */
const UNREADABLE = 'constructor'

/**
 * Removes tags nested deeper than `depthMax` and keeps their content: parsers take quadratic time in the depth. Also
 * removes tags that cannot be read.
 */
export function limitNesting(html: string, depthMax: number): string {
  const open: string[] = []
  const counts = new Map<string, number>()
  const cuts: { from: number; to: number }[] = []
  /** Where the current tag begins; -1 for a void one. */
  let start = -1

  const push = (name: string) => {
    open.push(name)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const pop = (): string => {
    const name = open.pop() ?? ''
    counts.set(name, (counts.get(name) ?? 1) - 1)
    return name
  }
  const endTag = (end: number) => {
    const isCut = open.length > depthMax || open.at(-1) === UNREADABLE
    if (start >= 0 && isCut) cuts.push({ from: start, to: end + 1 })
  }

  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      ...IGNORED_MARKUP,
      onopentagname(from, to) {
        const name = html.slice(from, Math.min(to, from + NAME_CHARACTERS_MAX)).toLowerCase()
        while (ENDS.get(name)?.includes(open.at(-1) ?? '')) pop()
        start = VOID.has(name) ? -1 : from - 1
        if (start >= 0) push(name)
      },
      onopentagend: endTag,
      onselfclosingtag: endTag,
      onclosetag(from, to) {
        const name = html.slice(from, Math.min(to, from + NAME_CHARACTERS_MAX)).toLowerCase()
        if ((counts.get(name) ?? 0) === 0) return
        while (pop() !== name);
        const end = html.indexOf('>', to)
        if (open.length >= depthMax || name === UNREADABLE)
          cuts.push({ from: from - 2, to: end === -1 ? html.length : end + 1 })
      },
      onattribdata() {},
      onattribentity() {},
      onattribname() {},
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return cuts.length === 0 ? html : without(html, cuts)
}

function without(html: string, cuts: readonly { from: number; to: number }[]): string {
  const kept: string[] = []
  let at = 0
  for (const { from, to } of cuts) {
    if (from < at) continue
    kept.push(html.slice(at, from))
    at = to
  }
  return [...kept, html.slice(at)].join('')
}
