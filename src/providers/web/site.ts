import type { WebSite } from './form.ts'

const KEY_CHARACTERS_MAX = 500
/** Extensions that never have text; for all others, the response decides. */
const WITHOUT_TEXT =
  /\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|m?js|json|xml|rss|atom|zip|gz|tgz|tar|7z|exe|dmg|iso|mp[34]|webm|avi|mov|wav|ogg|woff2?|ttf|eot)$/i

/** The addresses of a site. A page's key is its path with its query. */
export interface Site {
  urlOf(key: string): URL
  /** The key of an address, relative to `base`; null if it is not on the site. */
  keyOf(address: string, base: URL): string | null
}

export function createSite({ origin, start, under }: WebSite): Site {
  const { host } = new URL(origin)
  return {
    // Not relative to the origin: a path that begins with two slashes would name another host.
    urlOf: (key) => new URL(origin + key),
    keyOf(address, base) {
      const url = URL.parse(address, base.href)
      if (url === null || url.host !== host || !/^https?:$/.test(url.protocol)) return null
      if (url.username !== '' || url.password !== '' || WITHOUT_TEXT.test(url.pathname)) return null
      const key = url.pathname + url.search
      if (key.length > KEY_CHARACTERS_MAX) return null
      return start.includes(key) || url.pathname.startsWith(under) ? key : null
    },
  }
}
