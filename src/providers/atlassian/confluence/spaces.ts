import { z } from 'zod'
import { ProviderError } from '../../adapter.ts'
import { parseEach } from '../../rest.ts'
import { type Confluence, NAME } from './client.ts'

const SPACES_MAX = 500

const Space = z.object({
  id: z.string().regex(/^\d+$/),
  key: z.string().regex(/^[^"\\]+$/),
  name: z.string(),
  type: z.string().catch(''),
})
export type Space = z.output<typeof Space>

/**
 * The spaces that a source reads, by id: the named ones, or all that the account can read, except personal ones.
 * `missing` are the keys that it cannot read. @throws ProviderError
 */
export async function findSpaces(
  confluence: Confluence,
  named: readonly string[],
): Promise<{ found: Map<string, Space>; missing: string[] }> {
  const found = new Map<string, Space>()
  const keys = named.length === 0 ? {} : { keys: named.join(',') }
  const parameters = { status: 'current', limit: '250', ...keys }
  for await (const spaces of confluence.pages('api/v2/spaces', z.unknown(), parameters))
    for (const space of parseEach(spaces, Space, NAME))
      if (named.length > 0 || space.type !== 'personal') found.set(space.id, space)
  if (found.size > SPACES_MAX)
    throw new ProviderError(
      'rejected',
      `The account can read ${found.size} spaces; name at most ${SPACES_MAX} of them`,
    )
  const there = new Set([...found.values()].map(({ key }) => key.toLowerCase()))
  return { found, missing: named.filter((key) => !there.has(key.toLowerCase())) }
}
