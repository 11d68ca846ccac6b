import type { TestService } from './service.ts'
import { until } from './until.ts'

/** Polls a source's permissions now, and waits for the result. */
export async function pollPermissionsNow({ database: { db } }: TestService, sourceId: string): Promise<void> {
  const asked = new Date(Date.now() - 1_000)
  await db.updateTable('permission_polls').set({ next_at: asked }).where('source_id', '=', sourceId).execute()
  const { error_message } = await until(
    'the permissions to be read',
    () =>
      db
        .selectFrom('permission_polls')
        .select(['checked_at', 'error_message', 'next_at', 'lease_id'])
        .where('source_id', '=', sourceId)
        .executeTakeFirstOrThrow(),
    ({ next_at, lease_id }) => lease_id === null && next_at > asked,
  )
  if (error_message !== null) throw new Error(error_message)
}
