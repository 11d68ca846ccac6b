import type { Db } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { ProviderAdapters, ProviderEnvironment } from '../providers/index.ts'
import type { SourceChannels } from '../sources/index.ts'
import { createChannels } from './source-channels.ts'
import { createCleanUps } from './clean-ups.ts'
import { createConnections } from './connections.ts'
import { createConnectorAccess } from './connector-access.ts'
import { createCredentialStore } from './credentials.ts'
import { createOAuthStates } from './oauth-states.ts'
import { createAccountOpener, type OpenProviderAccount } from './open-account.ts'
import { createRevocations, type Revocations } from './revocations.ts'
import type { ProviderServices } from './provider-routes.ts'
import type { ConnectionServices } from './routes.ts'
import { createSecretCipher } from '../kernel/secret-cipher.ts'
import { createIncomingWebhooks } from './incoming-webhooks.ts'

export interface ProviderAccountsDependencies {
  db: Db
  clock: Clock
  random: () => number
  adapters: ProviderAdapters
  /** 32 bytes each; the first encrypts, all decrypt. */
  encryptionKeys: readonly Uint8Array[]
  gated: readonly ProviderId[]
  isLocal: boolean
  environment: ProviderEnvironment
  publicUrl: () => string
  /** Called when a run is ready to be taken. */
  onQueued: () => void
  /** Receives background errors, which are retried. */
  onError: (error: unknown) => void
}

export interface ProviderAccounts {
  services: ConnectionServices & ProviderServices
  channels: SourceChannels
  openAccount: OpenProviderAccount
  revocations: Revocations
  /** Re-encrypts what older keys encrypted, reports undecryptable grants, and revokes due ones. Does not throw. */
  maintain(): Promise<void>
  /** Waits for running token renewals. Call it before closing the database, or the provider's answers are lost. */
  settle(): Promise<void>
}

/** Connects provider accounts, stores their tokens and revokes their grants. */
export function createProviderAccounts(deps: ProviderAccountsDependencies): ProviderAccounts {
  const { db, clock, adapters } = deps
  const cipher = createSecretCipher(deps.encryptionKeys)
  const credentials = createCredentialStore({ db, clock, cipher })
  const openAccount = createAccountOpener({ adapters, credentials, clock, random: deps.random })
  const revocations = createRevocations({ db, clock, cipher, adapters, onFailure: deps.onError })
  const states = createOAuthStates({ db, clock, cipher })
  const { gated, isLocal } = deps
  const connectorAccess = createConnectorAccess({ db, clock, gated, isLocal, offered: adapters.offered })
  return {
    services: {
      connections: createConnections({ ...deps, cipher, states, access: connectorAccess, revocations }),
      connectorAccess,
      incomingWebhooks: createIncomingWebhooks({ db, clock, environment: deps.environment }),
      cleanUps: createCleanUps({ db, clock }),
    },
    channels: createChannels({ openAccount }),
    openAccount,
    revocations,
    async maintain() {
      await credentials.reencrypt().catch(deps.onError)
      await revocations.run().catch(deps.onError)
    },
    settle: () => credentials.settle(),
  }
}
