const HOPS_MAX = 10

export function cookiesOf(headers: Headers): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0] ?? '')
    .join('; ')
}

/**
 * Follows redirects like a browser with these cookies of the service at `origin`, until one leads to `target`. Throws
 * when a page is returned instead.
 */
export async function followRedirects(
  url: string,
  target: string,
  { origin, cookies }: { origin?: string; cookies?: string } = {},
): Promise<string> {
  let at = url
  for (let hop = 0; hop < HOPS_MAX; hop++) {
    const headers: Record<string, string> =
      cookies !== undefined && origin !== undefined && at.startsWith(origin) ? { Cookie: cookies } : {}
    const response = await fetch(at, { headers, redirect: 'manual' })
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${at} answered ${response.status}: ${await response.text()}`)
    at = new URL(location, at).href
    if (at.startsWith(target)) return at
  }
  throw new Error(`${url} redirects without end`)
}

export function formOf(page: string, at: string): { action: string; fields: Record<string, string> } {
  const action = /<form method="post" action="([^"]+)"/.exec(page)?.[1]
  if (action === undefined) throw new Error(`there is no form in ${page}`)
  const inputs = page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return {
    action: new URL(action, at).href,
    fields: Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value])),
  }
}

/** Submits a page's form, like a click on its only button; does not follow the redirect. */
export async function clickButton(page: string, at: string): Promise<Response> {
  const { action, fields } = formOf(page, at)
  return await fetch(action, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
}

/** Opens a provider's page in a separate browser, confirms if asked, and returns the address of the last page. */
export async function agreeElsewhere(url: string): Promise<string> {
  const asked = await fetch(url)
  const answer = await clickButton(await asked.text(), asked.url)
  const location = answer.headers.get('location')
  if (location === null) throw new Error(`the click was answered ${answer.status}: ${await answer.text()}`)
  return location
}
