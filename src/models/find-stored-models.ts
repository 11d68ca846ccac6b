import type { Db } from '../database/database.ts'

/** Names of the models that answer some organization's queries, and of how many. What a server should be able to run. */
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
