import type { Credentials, OAuthAdapter } from '../../src/providers/adapter.ts'

/** Longer than an emulator's response. */
const RENEWAL_MS = 10_000

/**
 * Access tokens as the service handles them: if concurrent calls get a refused token, one of them renews it, and
 * continues even if the run ends. When the provider rotates refresh tokens, its answer is the only valid grant.
 */
export function createRenewedTokens(
  adapter: Pick<OAuthAdapter, 'refresh'>,
  connect: () => Credentials,
): (refused?: string) => Promise<string> {
  let current: Promise<Credentials> | undefined
  return async (refused) => {
    const held = (current ??= Promise.resolve(connect()))
    const credentials = await held
    if (refused === credentials.accessToken && current === held)
      current = adapter.refresh(credentials, AbortSignal.timeout(RENEWAL_MS)).catch((error: unknown) => {
        current = held
        throw error
      })
    return (await current).accessToken
  }
}
