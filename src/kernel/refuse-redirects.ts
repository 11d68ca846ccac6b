/** Follows no redirect: credentials and documents in a request must only reach the configured address. */
export function refuseRedirects(fetchFrom: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await fetchFrom(input, { ...init, redirect: 'manual' })
    if (response.status < 300 || response.status >= 400 || response.status === 304) return response
    await response.body?.cancel()
    throw new RedirectRefused(response.status, response.headers.get('location'))
  }
}

export class RedirectRefused extends TypeError {
  constructor(status: number, location: string | null) {
    const place = location === null ? 'another place' : originOf(location)
    super(
      `it redirects (HTTP ${status}) to ${place}, which is not followed; configure the address that answers itself`,
    )
    this.name = 'RedirectRefused'
  }
}

/** The rest of the address can hold secrets. */
function originOf(location: string): string {
  return URL.parse(location)?.origin ?? 'another path of its own'
}
