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

interface Titled {
  title: string
  sourceKind: string
}

interface Named {
  kind: string
  type: string
  label: string
}

/**
 * Up to three questions about these items, newest first, and about names that several of them share. `own` is the
 * workspace's name, which most items contain.
 */
export function suggestQuestions(
  items: readonly Titled[],
  names: readonly Named[],
  own = '',
): readonly string[] {
  const documents = items
    .filter(({ sourceKind }) => sourceKind !== 'message')
    .map(({ title }) => title.trim())
  const asked = items.filter(({ sourceKind }) => sourceKind === 'message').flatMap(questionInMessage)
  const ofTitles = [...documents.flatMap(questionOfTitle), ...asked]
  const shown = documents.filter((title) => isShort(title) && !title.endsWith('?'))
  // Documents of a numbered series make less specific questions.
  const contents = shown.filter((title) => !/\d/.test(title)).map(questionOfContents)
  const ofSeries = shown.filter((title) => /\d/.test(title)).map(questionOfContents)
  const known = names.filter(
    ({ kind, label }) => kind === 'entity' && label.toLowerCase() !== own.toLowerCase(),
  )
  const ofPeople = known.filter(({ type }) => type === 'person').flatMap(questionOfName)
  const ofSubjects = known.filter(({ type }) => type !== 'person').flatMap(questionOfName)
  const first = [...new Set(ofTitles)].slice(0, OF_TITLES_MAX)
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
  return [...new Set([...first, ...rest.flat()])].slice(0, SUGGESTED)
}

function questionOfContents(title: string): string {
  return `What does “${title}” say?`
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
function questionInMessage({ title }: Titled): string[] {
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
