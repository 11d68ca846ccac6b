import type { ProviderId } from '../kernel/providers.ts'
import { STATE_TTL_MS } from './oauth-states.ts'

const NAME = 'memory_oauth'
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=([\\w-]{43})(?:;|$)`)

/**
 * The `Set-Cookie` that tells the browser in which a flow begins from others. A provider's page comes back by a link from
 * another site, which `Lax` lets through and `Strict` would not. Another flow at the same provider takes its place.
 */
export function flowCookie(publicUrl: string, provider: ProviderId, secret: string): string {
  const { protocol, pathname } = new URL(`${publicUrl}/v1/oauth/${provider}`)
  const secure = protocol === 'https:' ? '; Secure' : ''
  return `${NAME}=${secret}; Path=${pathname}; Max-Age=${STATE_TTL_MS / 1000}; HttpOnly; SameSite=Lax${secure}`
}

/** What the browser keeps of a flow, by its `Cookie` header. */
export function readFlowCookie(header: string | undefined): string | undefined {
  return COOKIE.exec(header ?? '')?.[1]
}
