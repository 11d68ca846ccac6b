import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type ApiClient, createApiClient } from './api-client.ts'
import { CommandError } from './failures.ts'

/** Where the local deployment stores its operator token: the service's DATA_DIR. */
export const OPERATOR_TOKEN_FILE = join(process.env.DATA_DIR || 'data', 'operator-token')

const ConnectorAccess = z.looseObject({ connectorAccess: z.looseObject({ status: z.string() }) })

/** A client that presents the operator token and ignores the API key option. @throws CommandError when there is none */
export async function operatorClient(url: string): Promise<ApiClient> {
  return createApiClient({ url, key: await operatorToken() })
}

/** The operator token. @throws CommandError when there is none */
export async function operatorToken(): Promise<string> {
  const given = process.env.OPERATOR_TOKEN
  if (given !== undefined && given !== '') return given
  try {
    return (await readFile(OPERATOR_TOKEN_FILE, 'utf8')).trim()
  } catch (cause) {
    throw new CommandError(
      `No operator token at ${OPERATOR_TOKEN_FILE}: set OPERATOR_TOKEN, or set DATA_DIR to the service's data folder`,
      { cause },
    )
  }
}

/** Grants or revokes the operator's approval of a provider for a workspace; returns the new state. */
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
