import type { Db } from '../database/database.ts'

/** The models that answer for organizations, and for how many. A server must be able to run them. */
export async function findStoredModels(db: Db): Promise<{ name: string; organizations: number }[]> {
  return await db
    .selectFrom('organizations')
    .innerJoin('embedding_models', 'embedding_models.id', 'organizations.embedding_model_id')
    .select(['embedding_models.name'])
    .select((eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('organizations'))
    .where('organizations.removed_at', 'is', null)
    .groupBy('embedding_models.name')
    .orderBy('embedding_models.name')
    .execute()
}
