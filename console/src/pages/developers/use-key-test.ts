import { useState } from 'react'
import { createKeyApi, unwrap } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { useRefetch } from '../../data/use-refetch.ts'

const HITS = 5

export type KeyOutcome =
  | { is: 'served'; hits: Awaited<ReturnType<typeof searchWith>> }
  /** Refused by the service, or the service was unreachable. */
  | { is: 'refused'; error: ApiError }

/**
 * Sends one search with a key. The secret stays out of caches, so this is no mutation of the query client.
 * @param secret the outcome is null until this secret was tested
 */
export function useKeyTest(secret: string) {
  const refetch = useRefetch()
  const [isBusy, setIsBusy] = useState(false)
  const [tested, setTested] = useState<{ secret: string; outcome: KeyOutcome } | null>(null)
  const test = async (query: string): Promise<void> => {
    setIsBusy(true)
    try {
      setTested({ secret, outcome: { is: 'served', hits: await searchWith(secret, query) } })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      setTested({ secret, outcome: { is: 'refused', error } })
    } finally {
      setIsBusy(false)
    }
    await refetch('api-keys', 'billing', 'request-log')
  }
  return { isBusy, outcome: tested?.secret === secret ? tested.outcome : null, test }
}

async function searchWith(secret: string, query: string) {
  const body = { query, limit: HITS, rank: 'hybrid' as const }
  return (await unwrap(createKeyApi(secret).POST('/v1/search', { body }))).hits
}
