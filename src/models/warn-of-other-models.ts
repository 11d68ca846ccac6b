import type { Db } from '../database/database.ts'
import { AppError } from '../kernel/errors.ts'
import type { Logger } from '../kernel/logger.ts'
import type { ModelRegistry } from './model-registry.ts'

/** Logs which stored vectors are not of the configured model, with and without an available model. */
export async function warnOfOtherModels(
  db: Db,
  models: ModelRegistry,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  for (const { name, organizations } of await findStoredModels(db)) {
    if (name === models.configured.id) continue
    const fields = { storedModel: name, configuredModel: models.configured.id, organizations }
    logger.warn(fields, await whatHappens(models, name))
  }
}

async function whatHappens(models: ModelRegistry, name: string): Promise<string> {
  if (!(await canBeLoaded(models, name)))
    return 'stored vectors belong to an embedding model that is not configured: queries are refused until the setting is restored or POST /v1/maintenance/reembed has moved them'
  return models.configured.replaces?.includes(name)
    ? 'stored vectors belong to an earlier embedding model, which stays in use while they move to the current one'
    : 'stored vectors belong to another embedding model, which stays in use; POST /v1/maintenance/reembed moves them'
}

async function canBeLoaded(models: ModelRegistry, name: string): Promise<boolean> {
  try {
    return (await models.find(name)) !== null
  } catch (error) {
    // The answer to every query explains the problem.
    if (error instanceof AppError) return false
    throw error
  }
}

/** The models that answer for organizations, and for how many. A server must be able to run them. */
async function findStoredModels(db: Db): Promise<{ name: string; organizations: number }[]> {
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
