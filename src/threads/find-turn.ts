import type { Tx } from '../database/database.ts'
import { AppError } from '../kernel/errors.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { StoredThread, type StoredTurn } from './schemas.ts'

/** A question of one of the caller's own threads. @throws AppError `not_found` */
export async function findTurn(
  tx: Tx,
  { organizationId, userId }: ConsoleCaller,
  { id, turnId }: { id: string; turnId: string },
): Promise<StoredTurn> {
  const row = await tx
    .selectFrom('threads')
    .select('content')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  const turn = StoredThread.safeParse(row?.content).data?.turns.find((one) => one.id === turnId)
  if (turn === undefined) throw new AppError('not_found', 'There is no such question in your threads')
  return turn
}
