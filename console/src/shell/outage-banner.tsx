import { Alert } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { CloudOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { ApiError } from '../api/errors.ts'
import { useWhenReady } from '../session/service-ready.ts'
import classes from './outage-banner.module.css'

/** Shown on every page during an outage. Refetches data when the service responds again. */
export function OutageBanner() {
  const queries = useQueryClient()
  const [isAway, setAway] = useState(false)
  useEffect(() => {
    const notice = (error: unknown): void => {
      if (isOutage(error)) setAway(true)
    }
    const ends = [
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated') return
        if (event.action.type === 'failed' || event.action.type === 'error') notice(event.action.error)
      }),
      queries.getMutationCache().subscribe((event) => {
        if (event.type === 'updated' && event.action.type === 'error') notice(event.action.error)
      }),
    ]
    return () => ends.forEach((end) => end())
  }, [queries])
  useWhenReady(isAway, () => {
    setAway(false)
    void queries.invalidateQueries()
  })
  if (!isAway) return null
  return (
    <div className={classes.banner}>
      <Alert
        color="orange"
        icon={<CloudOff size={18} aria-hidden />}
        title="The service is unreachable"
        role="status"
      >
        This page continues when the service is back.
      </Alert>
    </div>
  )
}

/** True if there was no response, if a proxy answered for the service, or if the service is not ready. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  return (
    error.code === 'offline' ||
    error.code === 'not_ready' ||
    (error.code === 'unreadable' && error.status >= 502)
  )
}
