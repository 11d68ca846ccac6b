import { openAsBlob } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { openDurableFiles } from './embedded-files.ts'
import type { EmbeddedPlace } from './embedded-messages.ts'

const SETTINGS = [
  // PGlite turns flushing off with `-F`, which is left out below; of the two methods only this one has an effect.
  'fsync=on',
  'wal_sync_method=fsync',
  // The defaults take half a gigabyte for what a server would have; the operating system caches the files as well.
  'shared_buffers=32MB',
  'work_mem=16MB',
  // A sample for statistics is held in memory, which WebAssembly never gives back: 6,000 rows, not 30,000.
  'default_statistics_target=20',
  // What has to be read again after a crash, and what the log takes on disk.
  'max_wal_size=64MB',
  'min_wal_size=32MB',
]

/** A PGlite with the vector extension; a new database where the folder is empty. */
export async function createPGlite(place: EmbeddedPlace): Promise<PGlite> {
  const pglite = await PGlite.create({
    ...('folder' in place
      ? { fs: openDurableFiles(place.folder) }
      : { loadDataDir: await openAsBlob(place.snapshot) }),
    extensions: { vector },
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      ...SETTINGS.flatMap((setting) => ['-c', setting]),
    ],
  })
  await acceptBinaryVectors(pglite)
  return pglite
}

/** Lets a vector parameter be the bytes of `encodeHalfvec`, as `pg` does; other values go as text. */
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
