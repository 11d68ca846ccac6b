import { Readable } from '../../src/kernel/viewer.ts'
import type { NearestQuery } from '../../src/retrieval/nearest-query.ts'

type Needed = 'organizationId' | 'model' | 'vector'

/** Finds the eight nearest chunks, without filters, for a viewer who may read everything. */
export function nearestQuery(asked: Pick<NearestQuery, Needed> & Partial<NearestQuery>): NearestQuery {
  return {
    limit: 8,
    meaning: null,
    providers: null,
    readable: Readable.everything,
    filter: {},
    entityIds: null,
    seenRevision: null,
    ...asked,
  }
}
