import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type ApiClient, createApiClient } from './api-client.ts'
import { CommandError } from './failures.ts'

/** Where the local deployment keeps its operator's token: in the same DATA_DIR as the service's. */
export const OPERATOR_TOKEN_FILE = join(process.env.DATA_DIR || 'data', 'operator-token')

const ConnectorAccess = z.looseObject({ connectorAccess: z.looseObject({ status: z.string() }) })

/**
 * A client that presents the operator's token. The option of the API key does not count here.
 * @throws CommandError when there is none
 */
export async function operatorClient(url: string): Promise<ApiClient> {
  return createApiClient({ url, key: await operatorToken() })
}

/** The operator's token. @throws CommandError when there is none */
export async function operatorToken(): Promise<string> {
  const given = process.env.OPERATOR_TOKEN
  if (given !== undefined && given !== '') return given
  try {
    return (await readFile(OPERATOR_TOKEN_FILE, 'utf8')).trim()
  } catch (cause) {
    throw new CommandError(
      `No operator token: set OPERATOR_TOKEN, or run this where ${OPERATOR_TOKEN_FILE} is`,
      { cause },
    )
  }
}

/** Gives a workspace the operator's leave for a provider, or takes it; returns how it stands then. */
export async function decideAccess(
  operator: ApiClient,
  decision: { organizationId: string; provider: string; enabled: boolean },
): Promise<z.output<typeof ConnectorAccess>> {
  const { organizationId, provider, enabled } = decision
  return await operator.call(ConnectorAccess, {
    method: 'PUT',
    path: `/operator/organizations/${encodeURIComponent(organizationId)}/connector-access/${provider}`,
    body: { enabled },
  })
}
