import type { EmulatorReply, EmulatorRequest } from '../../../emulators/kit/server.ts'

export interface ExampleNote {
  id: string
  folder: string
  title: string
  text: string
  updatedAt: number
  readers: string[]
}

export type Routes = Readonly<Record<string, (request: EmulatorRequest) => EmulatorReply>>

export interface ExampleNotes {
  readonly notes: ReadonlyMap<string, ExampleNote>
  add(note: Partial<ExampleNote>): string
  change(id: string, change: Partial<ExampleNote>): void
  remove(id: string): void
  /** Answers requests to these routes and its own; `refusedToken` says what is wrong with a token. */
  answer(request: EmulatorRequest, refusedToken: string | null, own?: Routes): EmulatorReply
}

export const refused = (status: number, error: string): EmulatorReply => ({ status, json: { error } })

/** The notes of Example, and the API that reads them. Replace it with the provider's. */
export function createNotes(now: () => number): ExampleNotes {
  const notes = new Map<string, ExampleNote>()
  /** Ids of changed and deleted notes, in order. */
  const log: string[] = []
  const routes = noteRoutes(notes, log)
  return {
    notes,
    answer(request, refusedToken, own = {}) {
      const name = `${request.method} ${request.path.replace(/^(\/v1\/notes)\/.+$/, '$1/{id}')}`
      const route = own[name] ?? routes[name]
      if (route === undefined) return refused(404, 'unknown_route')
      return route === own[name] || refusedToken === null ? route(request) : refused(401, refusedToken)
    },
    add(note) {
      const id = `n${String(log.length + 1).padStart(6, '0')}`
      const readers = ['demo.user@acme.example']
      notes.set(id, { id, folder: 'General', title: 'A note', text: '', updatedAt: now(), readers, ...note })
      log.push(id)
      return id
    },
    change(id, change) {
      const note = notes.get(id)
      if (note === undefined) throw new Error(`there is no note ${id}`)
      notes.set(id, { ...note, updatedAt: now(), ...change })
      log.push(id)
    },
    remove(id) {
      notes.delete(id)
      log.push(id)
    },
  }
}

const limitOf = ({ query }: EmulatorRequest): number => Number(query.get('limit') ?? 100)

function noteRoutes(notes: ReadonlyMap<string, ExampleNote>, log: readonly string[]): Routes {
  return {
    'GET /v1/me': () => ({ json: { id: 'acme', name: 'Acme' } }),
    'GET /v1/notes': (request) => {
      const after = request.query.get('after') ?? ''
      const rest = [...notes.keys()].toSorted().filter((id) => id > after)
      const ids = rest.slice(0, limitOf(request))
      return { json: { ids, more: rest.length > ids.length } }
    },
    'GET /v1/notes/{id}': ({ path }) => {
      const note = notes.get(path.slice('/v1/notes/'.length))
      if (note === undefined) return refused(404, 'no_such_note')
      return { json: { ...note, updatedAt: new Date(note.updatedAt).toISOString() } }
    },
    'GET /v1/position': () => ({ json: { position: log.length } }),
    'GET /v1/changes': (request) => {
      const since = Number(request.query.get('since'))
      if (!Number.isInteger(since) || since > log.length) return refused(410, 'unknown_position')
      const ids = log.slice(since, since + limitOf(request))
      const changes = [...new Set(ids)].map((id) => ({ id, isDeleted: !notes.has(id) }))
      const position = since + ids.length
      return { json: { changes, position, more: position < log.length } }
    },
  }
}
