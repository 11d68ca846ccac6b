import type { ProviderId } from '../../src/kernel/provider-id.ts'
import type { Answer, TestOrganization, TestService } from './service.ts'

/** A valid document for an organization, with overrides. */
export function documentOf(
  organization: TestOrganization,
  values: { provider?: ProviderId } & Record<string, unknown> = {},
): Record<string, unknown> {
  const provider = values.provider ?? 'notion'
  return {
    connectorId: organization.sources[provider],
    provider,
    sourceKind: 'document',
    externalId: 'pto',
    title: 'PTO policy',
    body: 'Employees accrue 25 days of paid time off per year. Unused days expire in March.',
    ...values,
  }
}

/** Pushes documents with the organization's admin key. */
export async function push(
  service: TestService,
  organization: TestOrganization,
  ...documents: Record<string, unknown>[]
): Promise<Answer> {
  return await service.call('POST', '/v1/ingest', { key: organization.adminKey, body: { documents } })
}
