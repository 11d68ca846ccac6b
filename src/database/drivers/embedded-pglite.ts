import { openAsBlob } from 'node:fs'
import { PGlite, types } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { openDurableFiles } from './embedded-files.ts'
import type { EmbeddedPlace } from './embedded-messages.ts'

const SETTINGS = [
  // PGlite disables flushing with `-F`, which the arguments below leave out. Of the sync methods only this one works.
  'fsync=on',
  'wal_sync_method=fsync',
  // The defaults reserve half a gigabyte, as for a server; the operating system caches the files anyway.
  'shared_buffers=32MB',
  'work_mem=16MB',
  // The statistics sample is held in memory, which WebAssembly never releases: 6,000 rows instead of 30,000.
  'default_statistics_target=20',
  // Bounds the recovery after a crash and the log's disk space.
  'max_wal_size=64MB',
  'min_wal_size=32MB',
]

/** A PGlite with the vector extension. It creates a database when the folder is empty. */
export async function createPGlite(place: EmbeddedPlace): Promise<PGlite> {
  const pglite = await PGlite.create({
    ...('folder' in place
      ? { fs: openDurableFiles(place.folder) }
      : { loadDataDir: await openAsBlob(place.snapshot) }),
    extensions: { vector },
    parsers: { [types.TIMESTAMPTZ]: parseTimestamp },
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      ...SETTINGS.flatMap((setting) => ['-c', setting]),
    ],
  })
  await acceptBinaryVectors(pglite)
  return pglite
}

/** PGlite's own parser reads the years 1 to 99 as 1950 to 2049, because `Date` does so without the `T` of ISO 8601. */
function parseTimestamp(text: string): Date {
  return new Date(text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00'))
}

/** Accepts a vector parameter as the bytes of `encodeHalfvec`, as `pg` does; other values are sent as text. */
async function acceptBinaryVectors(pglite: PGlite): Promise<void> {
  const findType = async () =>
    (await pglite.query<{ oid: number | null }>(`select to_regtype('halfvec')::oid::int as oid`)).rows[0]?.oid
  let oid = await findType()
  if (oid == null) {
    await pglite.query('create extension vector')
    oid = await findType()
  }
  Object.assign(pglite.serializers, { [Number(oid)]: keepBytes })
}

function keepBytes(value: unknown): unknown {
  return value instanceof Uint8Array ? value : String(value)
}
