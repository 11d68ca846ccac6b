import { useWorkspace } from '../../session/workspace.tsx'
import { type AskSearch, without } from './ask-search.ts'
import { citedPassagesOf } from './earlier-turns.tsx'
import { citationsIn, type Passages } from './marker.tsx'
import { citationLink } from './question-link.ts'
import { SourcePanel } from './source-panel.tsx'
import type { AnswerState } from './use-answer.ts'
import type { Turn } from './use-threads.ts'

/** The passages that markers open. `text` is null for search results, which are not cited. */
interface Answered {
  text: string | null
  passages: Passages
  /** The stored answer, and the questions before it. */
  stored: { turn: Turn; earlier: readonly string[] } | null
}

/** The answer of the open citation: a stored one, or the current one. */
export function answeredIn({ turn }: AskSearch, live: AnswerState | null, turns: readonly Turn[]): Answered {
  const shown = turns.find(({ id }) => id === turn) ?? (live === null ? turns.at(-1) : undefined)
  const kept = shown ?? live?.saved?.turn
  const earlier = turns.slice(
    0,
    turns.findIndex(({ id }) => id === kept?.id),
  )
  const stored = kept ? { turn: kept, earlier: earlier.map(({ question }) => question) } : null
  if (shown) return { text: shown.answer, passages: citedPassagesOf(shown), stored }
  return { text: live?.text ?? '', passages: live?.context ?? [], stored }
}

/** The open document beside an answer or search results. */
export function OpenSource({
  search,
  answered: { text, passages, stored },
  onGo,
}: {
  search: AskSearch
  answered: Answered
  onGo: (search: AskSearch) => void
}) {
  const { organization } = useWorkspace()
  const { item, at, mention, thread } = search
  const passage = at === undefined ? undefined : passages[at - 1]
  const isOfItem = passage?.sourceItemId === item
  const citations =
    text === null ? passages.map((_, place) => ({ at: place + 1 })) : citationsIn(text, passages)
  const citation =
    isOfItem && stored !== null && thread !== undefined ? { ...stored, thread, at, mention } : null
  return (
    <SourcePanel
      itemId={item}
      cited={
        isOfItem
          ? { answer: text, at, mention, passage }
          : { answer: text, at: undefined, mention: undefined, passage: undefined }
      }
      citations={citations}
      link={citationLink(organization.id, item, citation)}
      onGo={(next) => {
        const cited = passages[next.at - 1]
        if (cited) onGo({ ...without(search, 'mention'), item: cited.sourceItemId, ...next })
      }}
      onClose={() => onGo(without(search, 'item', 'at', 'mention', 'turn'))}
    />
  )
}
