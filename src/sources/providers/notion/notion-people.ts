import { orNull, type NotionRun } from './notion-client.ts'

export interface NotionPerson {
  name: string
  email: string | null
}

/** Looks people up by id, each once a run; null where the connection may not see people. Throws ProviderError. */
export function createNotionPeople(run: NotionRun): (id: string) => Promise<NotionPerson | null> {
  const known = new Map<string, NotionPerson | null>()
  return async (id) => {
    const before = known.get(id)
    if (before !== undefined) return before
    const user = await orNull(() => run.call((auth) => run.client.users.retrieve({ auth, user_id: id })))
    const email = user !== null && 'person' in user ? (user.person.email ?? null) : null
    const person = user !== null && 'name' in user && user.name ? { name: user.name, email } : null
    known.set(id, person)
    return person
  }
}
