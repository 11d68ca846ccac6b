const SUGGESTED = 3
const TITLE_CHARACTERS_MAX = 60
/** Of questions that ask how; the rest is left to names. */
const OF_TITLES_MAX = 2
/** Words that begin the title of an instruction: "Rotate secrets". */
const VERBS = new Set(
  `add answer approve ask assign back book build buy call cancel change check choose claim clean close configure connect
   contact create debug delete deploy disable edit enable escalate export file find fix get give go hire host import improve
   install invite join launch log make manage measure merge migrate monitor move onboard open order pay plan prepare
   provision publish put read recover release remove rename renew replace report request reset restart restore review roll
   rotate run scale sell send set sign start stop submit switch test track transfer troubleshoot uninstall update upgrade
   upload use verify write`.split(/\s+/),
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

/** Up to three questions that these items should answer: how to do what a title says, and what is known of a name. */
export function suggestQuestions(items: readonly Titled[], names: readonly Named[]): readonly string[] {
  const documents = items
    .filter(({ sourceKind }) => sourceKind !== 'message')
    .map(({ title }) => title.trim())
  const ofTitles = documents.flatMap(questionOfTitle).slice(0, OF_TITLES_MAX)
  const ofNames = names.filter(({ kind }) => kind === 'entity').flatMap(questionOfName)
  const others = documents
    .filter((title) => isShort(title) && !title.endsWith('?'))
    .map((title) => `What does “${title}” say?`)
  return [...new Set([...ofTitles, ...ofNames, ...others])].slice(0, SUGGESTED)
}

function questionOfTitle(title: string): string[] {
  if (!isShort(title)) return []
  if (title.endsWith('?')) return [title]
  const act = title.replace(/^how to /i, '').replace(/[.!:]$/, '')
  const [first = ''] = act.split(' ')
  if (!VERBS.has(first.toLowerCase())) return []
  return [`How do I ${first.toLowerCase()}${act.slice(first.length)}?`]
}

function questionOfName({ type, label }: Named): string[] {
  if (type === 'person') return [`What does ${label} work on?`]
  return type === 'organization' || type === 'topic' ? [`What do we know about ${label}?`] : []
}

/** A name of a file, or a line of a text, is no title to ask about. */
function isShort(title: string): boolean {
  return title !== '' && title.length <= TITLE_CHARACTERS_MAX && !/\.\w{1,5}$/.test(title)
}
