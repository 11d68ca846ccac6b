import { Button, Stack, Text } from '@mantine/core'
import { keepPreviousData } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useRead } from '../../data/use-api.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { TooMany } from '../../ui/error-state.tsx'
import { count } from '../../ui/format.ts'
import { ItemFacts } from '../../ui/item-facts.tsx'
import { SourceLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { plainText } from '../../ui/plain-text.ts'
import { providerName } from '../../api/provider-list.ts'
import { FirstReading } from '../../ui/reading.tsx'
import { LinesSkeleton } from '../../ui/skeletons.tsx'
import { useIsSlow } from '../../ui/use-is-slow.ts'
import { useSourceItem } from '../../data/use-source-item.ts'
import { AskError } from './ask-error.tsx'
import { type AskSearch, filterOf, RESULTS, searchRequestOf } from './ask-search.ts'
import { useOpenPassage } from './marker.tsx'
import { excerptOf, markWords, wordsToMark } from './matching-words.ts'
import { PermissionsHint } from './permissions-hint.tsx'
import classes from './search-results.module.css'

type Hit = Schemas['Hit']
const KEPT_MS = 30 * 60_000
const CHARACTERS_SHOWN = 420
/** The order of the results, and what their scores are. */
const ORDERS = {
  vector: 'by similarity (meaning only, 0 to 1)',
  hybrid: 'by relevance (words and meaning). Similarity compares meaning only. Both are 0 to 1.',
} as const

/** Search results, cached so that Back costs no credit. */
export function useSearchResults(search: AskSearch) {
  const body = searchRequestOf(search)
  return useRead(
    ['search', body],
    (api, signal) => unwrap(api.POST('/v1/console/search', { body, signal })),
    {
      enabled: search.mode === 'search' && search.q !== undefined,
      staleTime: Infinity,
      gcTime: KEPT_MS,
      refetchOnReconnect: false,
      placeholderData: keepPreviousData,
    },
  )
}

/** The passages that match a query, best first, each with the reason. */
export function SearchResults({
  search,
  query,
  onAll,
  onUnfiltered,
}: {
  search: AskSearch
  query: ReturnType<typeof useSearchResults>
  onAll: () => void
  onUnfiltered: () => void
}) {
  const isSlow = useIsSlow(query.isFetching && (query.isPending || query.isPlaceholderData))
  if (query.error) return <AskError error={query.error} onAgain={() => void query.refetch()} />
  if (isSlow)
    return (
      <Panel title="Search results" isFlush>
        <FirstReading>
          <LinesSkeleton lines={6} />
        </FirstReading>
      </Panel>
    )
  if (query.data === undefined) return null
  const { hits } = query.data
  if (hits.length === 0) return <Nothing search={search} onUnfiltered={onUnfiltered} />
  const words = wordsToMark(search.q ?? '')
  return (
    <Panel
      title="Search results"
      text={`${count(hits.length, 'passage')} ${ORDERS[search.rank ?? 'hybrid']}`}
      isFlush
    >
      <ol className={classes.list}>
        {hits.map((hit, at) => (
          <Result key={`${hit.sourceItemId} ${hit.content}`} hit={hit} at={at + 1} words={words} />
        ))}
      </ol>
      {hits.length === RESULTS.first && (
        <div className={classes.more}>
          <Button variant="default" onClick={onAll}>
            Show up to {RESULTS.all}
          </Button>
          <Text size="sm" c="dimmed">
            Runs another search (1 credit).
          </Text>
        </div>
      )}
      {hits.length === RESULTS.all && (
        <TooMany shown={RESULTS.all} hint="Use filters to narrow the search." />
      )}
    </Panel>
  )
}

function Nothing({ search, onUnfiltered }: { search: AskSearch; onUnfiltered: () => void }) {
  const isFiltered = filterOf(search) !== undefined
  return (
    <Panel>
      <PermissionsHint />
      <EmptyState
        icon={SearchX}
        title="No results"
        text={isFiltered ? 'No item matches the query and the filters.' : 'Nothing stored matches the query.'}
        action={
          isFiltered && (
            <Button variant="default" onClick={onUnfiltered}>
              Search without filters
            </Button>
          )
        }
      />
    </Panel>
  )
}

function Result({ hit, at, words }: { hit: Hit; at: number; words: ReadonlySet<string> }) {
  const open = useOpenPassage()
  const item = useSourceItem(hit.sourceItemId)
  return (
    <li className={classes.result}>
      <Stack gap={4} className={classes.words}>
        <h3 className={classes.heading}>
          <button type="button" className={classes.title} onClick={() => open(hit, at)}>
            <Marked text={hit.title} words={words} />
          </button>
        </h3>
        <ItemFacts provider={hit.provider} item={item.data} />
        <p className={classes.content}>
          <Marked text={excerptOf(plainText(hit.content), words, CHARACTERS_SHOWN)} words={words} />
        </p>
        {hit.url !== '' && (
          <span className={classes.link}>
            <SourceLink href={hit.url} plain={hit.url}>
              Open the original at {providerName(hit.provider) ?? hit.provider}
            </SourceLink>
          </span>
        )}
      </Stack>
      <dl className={classes.scores}>
        {hit.relevance !== undefined && <Score name="Relevance" value={hit.relevance} />}
        <Score name="Similarity" value={hit.score} />
      </dl>
    </li>
  )
}

function Score({ name, value }: { name: string; value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className={classes.bar} aria-hidden>
          <span style={{ width: `${Math.round(value * 100)}%` }} />
        </span>
        {value.toFixed(2)}
      </dd>
    </div>
  )
}

function Marked({ text, words }: { text: string; words: ReadonlySet<string> }) {
  return markWords(text, words).map((piece) =>
    piece.isMatch ? (
      <mark key={piece.from} className={classes.match}>
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  )
}
