const HOPS_MAX = 10

/** What a browser sends along of the cookies that an answer set. */
export function cookiesOf(headers: Headers): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0] ?? '')
    .join('; ')
}

/**
 * Follows redirects as a browser does that has these cookies of the service at `origin`, until one leads to `target`.
 * Throws where there is a page instead.
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

/** A form of a page: where it goes and what it holds, as its HTML says. */
export function formOf(page: string, at: string): { action: string; fields: Record<string, string> } {
  const action = /<form method="post" action="([^"]+)"/.exec(page)?.[1]
  if (action === undefined) throw new Error(`there is no form in ${page}`)
  const inputs = page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return {
    action: new URL(action, at).href,
    fields: Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value])),
  }
}

/** Sends a page's form, as a click on its one button does; the redirect that follows is not gone after. */
export async function clickButton(page: string, at: string): Promise<Response> {
  const { action, fields } = formOf(page, at)
  return await fetch(action, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
}

/** Opens a provider's page in a browser of its own, agrees where the service asks, and returns the page that ends it. */
export async function agreeElsewhere(url: string): Promise<string> {
  const asked = await fetch(url)
  const answer = await clickButton(await asked.text(), asked.url)
  const location = answer.headers.get('location')
  if (location === null) throw new Error(`the click was answered ${answer.status}: ${await answer.text()}`)
  return await (await fetch(new URL(location, asked.url))).text()
}
