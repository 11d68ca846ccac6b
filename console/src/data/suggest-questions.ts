/** The maximum number of suggested questions. */
export const SUGGESTED = 3
const TITLE_CHARACTERS_MAX = 60
/** The maximum number of questions from titles and messages. The rest ask about contents and names. */
const OF_TITLES_MAX = 2
const WORDS_MIN = 5
/** Verbs that start the title of a set of instructions: "Rotate secrets". */
const VERBS = new Set(
  `add answer approve ask assign back book build buy call cancel change check choose claim clean close configure connect
   contact create debug delete deploy disable edit enable escalate export file find fix get give go hire host import improve
   install invite join launch log make manage measure merge migrate monitor move onboard open order pay plan prepare
   provision publish put read recover release remove rename renew replace report request reset restart restore review roll
   rotate run scale sell send set sign start stop submit switch test track transfer troubleshoot uninstall update upgrade
   upload use verify write`.split(/\s+/),
)

/** Verbs that are also nouns: "Release notes", "Order form". A word of `AFTER_VERBS` must follow them. */
const NOUNS = new Set(
  `back book build call change check claim close contact deploy edit export file find fix host hire import
   invite launch log measure monitor move order pay plan release report request
   reset restart review roll run scale set sign start stop switch test track transfer update upgrade upload use`.split(
    /\s+/,
  ),
)
const AFTER_VERBS = new Set(
  `a an the your our my its their all another any each every it this these those to with without from for in into on of up
   off out back`.split(/\s+/),
)

/** Characters that set the direction of the text after them: the question's own words would be reversed. */
const DIRECTION = /[\u202A-\u202E\u2066-\u2069]/

interface Titled {
  title: string
  sourceKind: string
  connectorId: string
}

/** A question, and the source that it asks about; null for a name, which several sources can have. */
interface Candidate {
  question: string
  source: string | null
}

interface Named {
  kind: string
  type: string
  label: string
}

/**
 * Up to three questions about these items, newest first, and about names that several of them share. Of one source there
 * is only one, unless there are no others. `own` is the workspace's name, which most items contain.
 */
export function suggestQuestions(
  items: readonly Titled[],
  names: readonly Named[],
  own = '',
): readonly string[] {
  const plain = items.filter(({ title }) => !DIRECTION.test(title))
  const documents = plain.filter(({ sourceKind }) => sourceKind !== 'message')
  const asked = plain.filter(({ sourceKind }) => sourceKind === 'message')
  const ofTitles = [...candidates(documents, questionOfTitle), ...candidates(asked, questionInMessage)]
  const shown = documents.filter(({ title }) => isShort(title.trim()) && !title.trim().endsWith('?'))
  // Documents of a numbered series make less specific questions.
  const contents = candidates(
    shown.filter(({ title }) => !/\d/.test(title)),
    questionOfContents,
  )
  const ofSeries = candidates(
    shown.filter(({ title }) => /\d/.test(title)),
    questionOfContents,
  )
  const known = names.filter(
    ({ kind, label }) =>
      kind === 'entity' && label.toLowerCase() !== own.toLowerCase() && !DIRECTION.test(label),
  )
  const ofPeople = named(known.filter(({ type }) => type === 'person'))
  const ofSubjects = named(known.filter(({ type }) => type !== 'person'))
  const first = ofTitles.slice(0, OF_TITLES_MAX)
  const newest = first.length === 0 ? 1 : 0
  const ofNames = [...ofSubjects.slice(0, 1), ...ofPeople.slice(0, 1)]
  const rest = [
    contents.slice(0, newest),
    ofNames,
    contents.slice(newest),
    ofSubjects,
    ofPeople,
    ofSeries,
    ofTitles,
  ]
  return varied([...first, ...rest.flat()])
}

/** The first candidates, in their order: one per source, then more of the same sources. */
function varied(all: readonly Candidate[]): string[] {
  const distinct = all.filter(({ question }, at) => all.findIndex((one) => one.question === question) === at)
  const seen = new Set<string>()
  const ofNewSources = distinct.filter(({ source }) => {
    if (source === null) return true
    const isNew = !seen.has(source)
    seen.add(source)
    return isNew
  })
  const more = distinct.filter((one) => !ofNewSources.includes(one))
  const chosen = new Set([...ofNewSources, ...more].slice(0, SUGGESTED))
  return distinct.filter((one) => chosen.has(one)).map(({ question }) => question)
}

function candidates(items: readonly Titled[], ask: (title: string) => string[]): Candidate[] {
  return items.flatMap(({ title, connectorId }) =>
    ask(title.trim()).map((question) => ({ question, source: connectorId })),
  )
}

function named(names: readonly Named[]): Candidate[] {
  return names.flatMap((one) => questionOfName(one).map((question) => ({ question, source: null })))
}

function questionOfContents(title: string): string[] {
  return [`What does “${title}” say?`]
}

function questionOfTitle(title: string): string[] {
  if (!isShort(title)) return []
  if (title.endsWith('?')) return [title]
  const isHowTo = /^how to /i.test(title)
  const act = title.replace(/^how to /i, '').replace(/[.!:]$/, '')
  const [first = '', second = ''] = act.split(' ')
  const verb = first.toLowerCase()
  if (!VERBS.has(verb) || (NOUNS.has(verb) && !isHowTo && !AFTER_VERBS.has(second.toLowerCase()))) return []
  return [`How do I ${verb}${act.slice(first.length)}?`]
}

/** A question asked in a channel, without the channel's name. Skips short ones, which mean little out of context. */
function questionInMessage(title: string): string[] {
  const question = title.replace(/^#[^:\s]{1,80}: /, '').trim()
  const isWhole = question.length <= TITLE_CHARACTERS_MAX && /^\p{Lu}[^@?]*\?$/u.test(question)
  return isWhole && question.split(' ').length >= WORDS_MIN ? [question] : []
}

function questionOfName({ type, label }: Named): string[] {
  if (type === 'person') return [`What does ${label} work on?`]
  // A domain name makes no useful question.
  if (type === 'organization' && /^[\w-]+(?:\.[\w-]+)+$/.test(label)) return []
  return type === 'organization' || type === 'topic' ? [`What do we know about ${label}?`] : []
}

/** Excludes file names and whole lines of text. */
function isShort(title: string): boolean {
  return title !== '' && title.length <= TITLE_CHARACTERS_MAX && !/\.\w{1,5}$/.test(title)
}
