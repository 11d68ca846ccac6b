const HOPS_MAX = 3

/** Follows no redirect: credentials and documents in a request must only reach the configured address. */
export function refuseRedirects(fetchFrom: typeof fetch): typeof fetch {
  return followRedirectsBelow(null, fetchFrom)
}

/** The same, but follows a redirect of a GET request to an address below `base`, which has no slash at its end. */
export function followRedirectsBelow(base: string | null, fetchFrom: typeof fetch): typeof fetch {
  return async (input, init) => {
    let target = input
    for (let hops = 0; ; hops += 1) {
      const response = await fetchFrom(target, { ...init, redirect: 'manual' })
      const { status, headers } = response
      if (status < 300 || status >= 400 || status === 304) return response
      await response.body?.cancel()
      const next = URL.parse(headers.get('location') ?? '', response.url)
      const isBelow = base !== null && next !== null && next.href.startsWith(`${base}/`)
      if (!isBelow || hops === HOPS_MAX || (init?.method ?? 'GET') !== 'GET')
        throw new RedirectRefused(status, headers.get('location'))
      target = next
    }
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

/** The rest of the URL can contain secrets. */
function originOf(location: string): string {
  return URL.parse(location)?.origin ?? 'another path of its own'
}
