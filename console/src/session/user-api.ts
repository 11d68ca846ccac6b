import { useMemo } from 'react'
import { type Api, createApi } from '../api/client.ts'
import { useConsole } from './context.tsx'

/** The query key of `GET /v1/console/me`. */
export const ME = ['me'] as const

/** The routes outside any workspace. */
export function useUserApi(): Api {
  const { session } = useConsole()
  return useMemo(() => createApi(session, null), [session])
}
