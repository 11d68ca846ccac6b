import { transact } from '../database/retry-conflicts.ts'
import { validationError } from '../kernel/errors.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { type FormFields, usesOAuth } from '../providers/index.ts'
import type { AccountConnectorDependencies } from './connect-account.ts'
import { askForAccount, storeAccount } from './store-account.ts'

/** Connects an account by the provider's form and queues its first run. Returns the source's id. @throws AppError */
export type SubmitForm = (caller: ConsoleCaller, provider: ProviderId, fields: FormFields) => Promise<string>

/** Connects accounts by what a user enters in the provider's form. */
export function createFormConnector({
  db,
  adapters,
  access,
  onQueued,
  ...deps
}: Omit<AccountConnectorDependencies, 'states'>): SubmitForm {
  return async ({ organizationId, userId }, provider, fields) => {
    await access.require(db, organizationId, provider)
    const adapter = adapters.get(provider)
    if (usesOAuth(adapter)) {
      throw validationError([
        {
          path: 'provider',
          message: `provider ${provider} is connected with OAuth; start with POST /v1/console/connectors/${provider}/authorize`,
        },
      ])
    }
    const account = await askForAccount(provider, Object.values(fields), (signal) =>
      adapter.connect(fields, signal),
    )
    const request = { organizationId, userId, provider }
    const { sourceId } = await transact(db, (tx) => storeAccount(tx, { ...deps, access }, request, account))
    onQueued()
    return sourceId
  }
}
