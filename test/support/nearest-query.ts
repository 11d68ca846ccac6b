import { Readable } from '../../src/kernel/viewer.ts'
import type { NearestQuery } from '../../src/retrieval/nearest-query.ts'

type Needed = 'organizationId' | 'model' | 'vector'

/** A query for the eight nearest chunks, without filters, of somebody who may read everything. */
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
