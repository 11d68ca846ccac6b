import { AddressNotAllowed } from '../../../guarded-requests/addresses.ts'
import { ProviderError } from '../../adapter.ts'

/**
 * A fetch for downloads, which a site redirects to a file store. `fetchOutside` requests the file there without the
 * token, which must not leave the site.
 */
export function followOutside(
  name: string,
  fetchSite: typeof fetch,
  fetchOutside: typeof fetch,
): typeof fetch {
  return async (input, init) => {
    const response = await fetchSite(input, init)
    const target = URL.parse(response.headers.get('location') ?? '', response.url || String(input))
    if (response.status < 300 || response.status >= 400 || target === null) return response
    await response.body?.cancel()
    const headers = new Headers(init?.headers)
    headers.delete('authorization')
    const file = await fetchOutside(target, { ...init, headers, redirect: 'manual' }).catch(
      (error: unknown) => {
        if (!(error instanceof AddressNotAllowed)) throw error
        throw new ProviderError('rejected', `${name} stores the file at an address that is not public`)
      },
    )
    // The address expires, so a refusal says nothing about the account's token.
    if (file.status >= 300 && file.status < 500 && file.status !== 429)
      throw new ProviderError('rejected', `${name} does not let this account download the file`)
    return file
  }
}
