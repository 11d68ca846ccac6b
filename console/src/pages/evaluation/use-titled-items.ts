import { isId } from '../../data/ids.ts'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData } from '@tanstack/react-query'
import { isPage } from '../../../../cli/evaluation/measure.ts'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useRead } from '../../data/use-api.ts'
import { useSourceItem } from '../../data/use-source-item.ts'

export interface TitledItems {
  items: readonly Pick<Schemas['ListedSourceItem'], 'id' | 'title' | 'url'>[]
  /** Whether these are all items whose title contains what is typed. */
  areAll: boolean
}

const TYPING_MS = 200
const LISTED = 100
/** The API's maximum length of a title filter. */
const TITLE_CHARACTERS_MAX = 200

/** What is typed as the expected page: a title unless it looks like an ID or a URL. */
export function kindOfPage(page: string): 'id' | 'url' | 'title' {
  if (isId(page)) return 'id'
  return page.includes('://') ? 'url' : 'title'
}

/** Whether no item has this title, as far as the list can tell. */
export function isUnknownTitle(page: string, { items, areAll }: TitledItems): boolean {
  return (
    areAll && !items.some(({ id, title, url }) => isPage({ sourceItemId: id, title, url: url ?? '' }, page))
  )
}

/** Titles that match what is typed, and a warning if the user can read no such item. URLs are not looked up. */
export function useTitledItems(typed: string): { titles: string[]; warning: string | null } {
  const [page] = useDebouncedValue(typed.trim(), TYPING_MS)
  const kind = kindOfPage(page)
  const title = page.slice(0, TITLE_CHARACTERS_MAX).trim()
  const list = useRead(
    ['source-items', 'titled', title],
    async (api, signal): Promise<TitledItems> => {
      const query = { limit: LISTED, ...(title === '' ? {} : { title }) }
      const found = await unwrap(api.GET('/v1/console/source-items', { params: { query }, signal }))
      return { items: found.sourceItems, areAll: found.nextCursor === null }
    },
    { enabled: kind === 'title', placeholderData: keepPreviousData },
  )
  const item = useSourceItem(kind === 'id' ? page.toLowerCase() : undefined)
  const titles = new Set(list.data?.items.map((one) => one.title).filter((one) => one !== ''))
  const unknown = {
    id: item.error?.status === 404,
    url: false,
    title: !list.isPlaceholderData && list.data !== undefined && isUnknownTitle(page, list.data),
  }
  const isSettled = page !== '' && page === typed.trim()
  return {
    titles: [...titles],
    warning:
      isSettled && unknown[kind]
        ? `No item that you may read has this ${kind === 'id' ? 'ID' : 'title'}.`
        : null,
  }
}
