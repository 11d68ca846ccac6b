import { Skeleton } from '@mantine/core'
import { unwrap } from '../../api/client.ts'
import { useRead } from '../../data/use-api.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { ButtonLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { useNow } from '../../ui/relative-time.tsx'
import { usageBars } from '../billing/usage-bars.ts'
import { UsageColumns } from '../billing/usage-columns.tsx'
import classes from './recent-activity.module.css'

const DAYS = 14
const DAY_MS = 24 * 60 * 60_000

/** Requests of the last two weeks by day and caller, never their text. */
export function RecentActivity() {
  const from = new Date(useNow() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
  const usage = useRead(['usage', from], (api, signal) =>
    unwrap(api.GET('/v1/console/usage', { params: { query: { from } }, signal })),
  )
  const { data, error } = usage
  return (
    <Panel
      title="Recent activity"
      text={`Searches, contexts and answers in the last ${DAYS} days, by caller.`}
      action={
        <ButtonLink to="/billing" size="xs" variant="default">
          See credits
        </ButtonLink>
      }
    >
      <div className={classes.content}>
        {data === undefined ? (
          error ? (
            <ErrorState error={error} onRetry={() => void usage.refetch()} />
          ) : (
            <Skeleton
              className={classes.waiting ?? ''}
              radius="sm"
              role="status"
              aria-busy="true"
              aria-label="Loading"
            />
          )
        ) : data.days.length === 0 ? (
          <p className={classes.nothing}>{`No activity in the last ${DAYS} days.`}</p>
        ) : (
          <UsageColumns
            label="Activity by day"
            usage={data}
            bars={usageBars(data, 'caller', 'requests')}
            unit="request"
            isLow
          />
        )}
      </div>
    </Panel>
  )
}
