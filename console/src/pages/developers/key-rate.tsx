import { Tooltip, VisuallyHidden } from '@mantine/core'
import { unwrap } from '../../api/client.ts'
import { useRead } from '../../data/use-api.ts'
import { formatNumber } from '../../ui/format.ts'
import { Meter } from '../../ui/meter.tsx'
import classes from './key-rate.module.css'
import { type KeyRate as Rate, lookEveryMs, MINUTE_MS, ratesByKey } from './rate-words.ts'

/** Requests of each key in the last minute. Polls while the page is visible. */
export function useKeyRates() {
  const { data } = useRead(
    ['rate-limits'],
    (api, signal) => unwrap(api.GET('/v1/console/rate-limits', { signal })),
    {
      staleTime: 0,
      refetchInterval: ({ state }) =>
        state.data === undefined ? MINUTE_MS : lookEveryMs(state.data.requestsPerMinute),
    },
  )
  if (data === undefined) return null
  return { limit: data.requestsPerMinute, byKey: ratesByKey(data.windows) }
}

/** How much of its rate limit a key has used. `rates`: null while they load. */
export function KeyRate({
  name,
  id,
  rates,
}: {
  name: string
  id: string
  rates: ReturnType<typeof useKeyRates>
}) {
  const label = `Requests of ${name} in the last minute`
  if (rates === null)
    return (
      <span className={classes.rate}>
        <span className={classes.words}>–</span>
        <Meter used={0} included={1} label={label} />
      </span>
    )
  const { limit } = rates
  const { requests, action, others }: Rate = rates.byKey.get(id) ?? { requests: 0, action: null, others: [] }
  return (
    <Tooltip label={`Also ${others.join(', ')}`} disabled={others.length === 0}>
      <span className={classes.rate}>
        <span className={classes.words}>
          {`${formatNumber(requests)} of ${formatNumber(limit)}`}
          {action !== null && (
            <span className={classes.action}>
              {action}
              {others.length > 0 && <span aria-hidden>{` +${others.length}`}</span>}
            </span>
          )}
          {others.length > 0 && <VisuallyHidden>{`and ${others.join(', ')}`}</VisuallyHidden>}
        </span>
        <Meter used={requests} included={limit} label={label} />
      </span>
    </Tooltip>
  )
}
