import type { ProviderId } from '../kernel/providers.ts'
import { STATE_TTL_MS } from './oauth-states.ts'

const NAME = 'memory_oauth'
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=([\\w-]{43})(?:;|$)`)

/**
 * The `Set-Cookie` that identifies the browser that begins a flow. The provider redirects from another site, which
 * `Lax` allows and `Strict` would not. A new flow at the same provider replaces it.
 */
export function flowCookie(publicUrl: string, provider: ProviderId, secret: string): string {
  const { protocol, pathname } = new URL(`${publicUrl}/v1/oauth/${provider}`)
  const secure = protocol === 'https:' ? '; Secure' : ''
  return `${NAME}=${secret}; Path=${pathname}; Max-Age=${STATE_TTL_MS / 1000}; HttpOnly; SameSite=Lax${secure}`
}

export function readFlowCookie(header: string | undefined): string | undefined {
  return COOKIE.exec(header ?? '')?.[1]
}
