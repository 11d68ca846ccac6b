import { expect } from 'vitest'
import type { ProviderId } from '../../src/kernel/provider-id.ts'
import { documentOf, push } from './documents.ts'
import type { Answer, TestOrganization, TestService } from './service.ts'

export interface Node {
  id: string
  kind: string
  type: string
  label: string
  provider: string | null
  weight: number
}
export interface Edge {
  id: string
  source: string
  target: string
  type: string
  weight: number
}

/** A mail by Ada. */
export const mail = (values: Record<string, unknown>) => ({
  provider: 'gmail' as const,
  sourceKind: 'message',
  authorName: 'Ada Lovelace',
  metadata: { senderEmail: 'ada@corp.com', recipients: ['bob@acme.com'], labels: ['Projects'] },
  ...values,
})

/** A conversation in #launch that Ada began. */
export const chat = (values: Record<string, unknown>) => ({
  provider: 'slack' as const,
  sourceKind: 'message',
  authorName: 'ada',
  metadata: {
    channel: 'launch',
    channelId: 'C1',
    sender: 'ada',
    senderEmail: 'ada@corp.com',
    senders: ['ada'],
  },
  ...values,
})

type Values = { provider?: ProviderId } & Record<string, unknown>

/** Stores documents, `d0` and so on by default, and reads them into the canvas. */
export async function storeForCanvas(
  service: TestService,
  organization: TestOrganization,
  values: readonly Values[],
): Promise<void> {
  const documents = values.map((value, n) =>
    documentOf(organization, Object.assign({ externalId: `d${n}` }, value)),
  )
  const { status, text } = await push(service, organization, ...documents)
  expect(status, text).toBe(200)
  await service.app.readForCanvas()
}

export function callCanvas(
  service: TestService,
  key: string,
  query: Record<string, string> = {},
): Promise<Answer> {
  return service.call('GET', `/v1/memory-canvas?${new URLSearchParams(query).toString()}`, { key })
}

export async function canvasNodes(
  service: TestService,
  key: string,
  query: Record<string, string> = {},
): Promise<Node[]> {
  const { status, body, text } = await callCanvas(service, key, query)
  expect(status, text).toBe(200)
  return body.nodes
}

/** Weights of the entities by label. */
export async function canvasWeights(
  service: TestService,
  key: string,
  query: Record<string, string> = {},
): Promise<Record<string, number>> {
  const entities = (await canvasNodes(service, key, query)).filter(({ kind }) => kind === 'entity')
  return Object.fromEntries(entities.map(({ label, weight }) => [label, weight]))
}

export async function canvasId(service: TestService, key: string, label: string): Promise<string> {
  const found = (await canvasNodes(service, key, { limit: '500' })).find((node) => node.label === label)
  if (!found) throw new Error(`the canvas has no ${label}`)
  return found.id
}

/** The id of an entity created for this call. */
export async function anEntity(service: TestService, organization: TestOrganization): Promise<string> {
  await storeForCanvas(service, organization, [{ externalId: 'by-ada', authorName: 'Ada Lovelace' }])
  return await canvasId(service, organization.adminKey, 'Ada Lovelace')
}
