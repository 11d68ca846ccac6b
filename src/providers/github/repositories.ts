import { z } from 'zod'
import { isMissing, ProviderError, returnIf } from '../adapter.ts'
import { parseEach } from '../rest.ts'
import type { GitHub } from './client.ts'

const REPOSITORIES_MAX = 500

const Repository = z.object({
  id: z.int(),
  full_name: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  private: z.boolean(),
  default_branch: z.string(),
  html_url: z.url({ protocol: /^https?$/ }),
  has_discussions: z.boolean().catch(false),
})
export type Repository = z.output<typeof Repository>

/**
 * The repositories that a source reads, by id: those named, or all that the token reads. `missing` are the names that
 * this token cannot read.
 * @throws ProviderError
 */
export async function findRepositories(
  github: GitHub,
  named: readonly string[],
): Promise<{ found: Map<number, Repository>; missing: string[] }> {
  const found = new Map<number, Repository>()
  const missing: string[] = []
  const owners = new Set(named.filter((name) => name.endsWith('/*')).map((name) => ownerOf(name)))
  if (named.length === 0 || owners.size > 0) {
    for await (const { data } of github.pages('user/repos', z.unknown(), { sort: 'full_name' })) {
      for (const repository of parseEach(data, Repository, 'GitHub'))
        if (named.length === 0 || owners.has(ownerOf(repository.full_name)))
          found.set(repository.id, repository)
    }
  }
  for (const name of named) {
    if (name.endsWith('/*')) continue
    const repository = await github.get(`repos/${name}`, Repository).catch(returnIf(isMissing, null))
    if (repository === null) missing.push(name)
    else found.set(repository.id, repository)
  }
  checkNumber(found.size)
  return { found, missing }
}

/** The repositories of a GitHub App's installation, by id. @throws ProviderError */
export async function findInstalled(github: GitHub): Promise<Map<number, Repository>> {
  const found = new Map<number, Repository>()
  for await (const { data } of github.pages('installation/repositories', z.unknown(), {}, 'repositories'))
    for (const repository of parseEach(data, Repository, 'GitHub')) found.set(repository.id, repository)
  checkNumber(found.size)
  return found
}

function checkNumber(count: number): void {
  if (count > REPOSITORIES_MAX)
    throw new ProviderError(
      'rejected',
      `The token can read ${count} repositories; let it read at most ${REPOSITORIES_MAX} of them`,
    )
}

const ownerOf = (name: string): string => name.slice(0, name.indexOf('/')).toLowerCase()
