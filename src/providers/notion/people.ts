import { z } from 'zod'
import { isRejected } from '../adapter.ts'
import { isUnavailable } from '../outage-guard.ts'
import { isEndpointMissing, type NotionRun } from './client.ts'

export interface NotionPerson {
  name: string
  email: string | null
}

const User = z
  .object({
    name: z.string().nullish().catch(null),
    person: z
      .object({ email: z.string().nullish().catch(null) })
      .optional()
      .catch(undefined),
  })
  .nullable()
  .catch(null)

export interface NotionPeople {
  /** Null when Notion does not answer: a missing name must not cost the page. */
  find(id: string | null): Promise<NotionPerson | null>
  /** Whether Notion was unavailable for this person, so that another run may find the name. */
  wasUnavailable(id: string | null): boolean
}

/** Looks up users by id, each once a run, while Notion allows it. @throws ProviderError `auth` and `rate_limited` */
export function createNotionPeople(run: NotionRun): NotionPeople {
  const known = new Map<string, NotionPerson | null>()
  const unavailable = new Set<string>()
  let isClosed = false

  async function lookUp(id: string): Promise<NotionPerson | null> {
    try {
      const user = await run.call(`users/${encodeURIComponent(id)}`, User)
      return user?.name ? { name: user.name, email: user.person?.email ?? null } : null
    } catch (error) {
      if (!isRejected(error) && !isUnavailable(error)) throw error
      if (isUnavailable(error)) unavailable.add(id)
      isClosed = error.code === 'restricted_resource' || isEndpointMissing(error)
      return null
    }
  }

  return {
    async find(id) {
      if (id === null || isClosed) return null
      const before = known.get(id)
      if (before !== undefined) return before
      const person = await lookUp(id)
      known.set(id, person)
      return person
    },
    wasUnavailable: (id) => id !== null && unavailable.has(id),
  }
}
