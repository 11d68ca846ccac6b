import type { Db } from '../database/database.ts'
import { AppError } from '../kernel/errors.ts'
import { findStoredModels } from './find-stored-models.ts'
import type { ModelRegistry } from './model-registry.ts'

/** What of a logger is needed here. */
export interface ModelWarnings {
  warn(fields: object, message: string): void
}

/**
 * Says in the log which stored vectors are not of the configured model: those that are still answered with their own
 * model, and those that cannot be answered at all. To be called at start.
 */
export async function warnOfOtherModels(db: Db, models: ModelRegistry, logger: ModelWarnings): Promise<void> {
  for (const { name, organizations } of await findStoredModels(db)) {
    if (name === models.configured.id) continue
    const fields = { storedModel: name, configuredModel: models.configured.id, organizations }
    logger.warn(fields, await whatHappens(models, name))
  }
}

async function whatHappens(models: ModelRegistry, name: string): Promise<string> {
  if (!(await canBeLoaded(models, name)))
    return 'stored vectors are of an embedding model that is not configured: queries are refused until the setting is restored or POST /v1/maintenance/reembed has moved them'
  return models.configured.replaces?.includes(name)
    ? 'stored vectors are of an earlier embedding model, which goes on answering while they are moved to the present one'
    : 'stored vectors are of another embedding model, which goes on answering; POST /v1/maintenance/reembed moves them'
}

async function canBeLoaded(models: ModelRegistry, name: string): Promise<boolean> {
  try {
    return (await models.find(name)) !== null
  } catch (error) {
    // What is wrong with it stands in the answer to every query.
    if (error instanceof AppError) return false
    throw error
  }
}
