import { z } from 'zod'
import { isMissing, ProviderError } from '../../adapter.ts'
import { parseEach } from '../../rest.ts'
import { type Jira, NAME } from './client.ts'

const PROJECTS_MAX = 500
/** Jira's maximum per page. */
const PER_PAGE = 50

const Project = z.object({
  id: z.string().regex(/^\d+$/),
  key: z.string(),
  name: z.string(),
  lead: z.object({ accountId: z.string().nullish() }).nullish().catch(null),
})
export type Project = z.output<typeof Project>

/** The projects that a source reads, by id, without archived ones. `missing`: unreadable keys. @throws ProviderError */
export async function findProjects(
  jira: Jira,
  named: readonly string[],
): Promise<{ found: Map<string, Project>; missing: string[] }> {
  const found = new Map<string, Project>()
  const wanted = new Set(named.map((key) => key.toUpperCase()))
  const parameters = { action: 'browse', status: 'live', expand: 'lead', maxResults: String(PER_PAGE) }
  try {
    for await (const projects of jira.pages('project/search', z.unknown(), parameters))
      for (const project of parseEach(projects, Project, NAME))
        if (wanted.size === 0 || wanted.has(project.key.toUpperCase())) found.set(project.id, project)
  } catch (error) {
    // Jira's answer when no project matches.
    if (!isMissing(error)) throw error
  }
  if (found.size > PROJECTS_MAX)
    throw new ProviderError(
      'rejected',
      `The account can read ${found.size} projects; name at most ${PROJECTS_MAX} of them`,
    )
  const there = new Set([...found.values()].map(({ key }) => key.toUpperCase()))
  return { found, missing: [...wanted].filter((key) => !there.has(key)) }
}
