import type { ProviderId } from '../kernel/provider-id.ts'
import { STATE_TTL_MS } from './oauth-states.ts'

const NAME = 'memory_oauth'
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=([\\w-]{43})(?:;|$)`)

/** The cookie of the browser that begins a flow. The provider redirects from another site, which only `Lax` allows. */
export function flowCookie(publicUrl: string, provider: ProviderId, secret: string): string {
  const { protocol, pathname } = new URL(`${publicUrl}/v1/oauth/${provider}`)
  const secure = protocol === 'https:' ? '; Secure' : ''
  return `${NAME}=${secret}; Path=${pathname}; Max-Age=${STATE_TTL_MS / 1000}; HttpOnly; SameSite=Lax${secure}`
}

export function readFlowCookie(header: string | undefined): string | undefined {
  return COOKIE.exec(header ?? '')?.[1]
}
