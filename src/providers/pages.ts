import { ProviderError } from './adapter.ts'

/** More pages than the largest drive or channel has. */
const PAGES_MAX = 100_000

/** The pages of a list. `read` requests the page at a position, which the previous page names; null: the first. */
export async function* followPages<Page>(
  read: (position: string | null) => Promise<Page>,
  nextOf: (page: Page) => string | null | undefined,
): AsyncGenerator<Page> {
  let position: string | null = null
  for (let count = 0; count < PAGES_MAX; count += 1) {
    const page: Page = await read(position)
    yield page
    const next: string | null = nextOf(page) || null
    if (next === null || next === position) return
    position = next
  }
  throw new ProviderError('unavailable', `The provider returned a list of more than ${PAGES_MAX} pages`)
}
