import { retryConflicts } from '../database/retry-conflicts.ts'
import { validationError } from '../kernel/errors.ts'
import { usesOAuth } from '../providers/index.ts'
import type { AccountConnectorDependencies } from './connect-account.ts'
import type { Connections } from './connections.ts'
import { askForAccount, storeAccount } from './store-account.ts'

/** Connects accounts by what a user enters in the provider's form. */
export function createFormConnector({
  db,
  adapters,
  access,
  onQueued,
  ...deps
}: Omit<AccountConnectorDependencies, 'states'>): Connections['submit'] {
  return async ({ organizationId, userId }, provider, fields) => {
    await access.require(db, organizationId, provider)
    const adapter = adapters.get(provider)
    if (usesOAuth(adapter)) {
      throw validationError([
        {
          path: 'provider',
          message: `provider ${provider} is connected at the provider; begin with POST /v1/console/connectors/${provider}/authorize`,
        },
      ])
    }
    const account = await askForAccount(provider, Object.values(fields), (signal) =>
      adapter.connect(fields, signal),
    )
    const request = { organizationId, userId, provider }
    const sourceId = await retryConflicts(() =>
      db.transaction().execute((tx) => storeAccount(tx, { ...deps, access }, request, account)),
    )
    onQueued()
    return sourceId
  }
}
