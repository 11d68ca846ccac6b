/**
 * A fetch that follows no redirect: what is sent with a request, credentials and documents, is for the address that was
 * configured and no other. A redirect is an error that says where it leads, and that nothing went there.
 */
export function refuseRedirects(fetchFrom: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await fetchFrom(input, { ...init, redirect: 'manual' })
    if (response.status < 300 || response.status >= 400 || response.status === 304) return response
    await response.body?.cancel()
    throw new RedirectRefused(response.status, response.headers.get('location'))
  }
}

/** A server that was configured answers with a redirect. */
export class RedirectRefused extends TypeError {
  constructor(status: number, location: string | null) {
    const place = location === null ? 'another place' : originOf(location)
    super(
      `it redirects (HTTP ${status}) to ${place}, which is not followed; configure the address that answers itself`,
    )
    this.name = 'RedirectRefused'
  }
}

/** The rest of the address may hold secrets. */
function originOf(location: string): string {
  return URL.parse(location)?.origin ?? 'another path of its own'
}
