import type { NewItem } from '../../src/items/index.ts'
import type { TestOrganization } from './organizations.ts'

/** A document for an organization's push-only source of its provider; a Notion page by default. */
export function testItem(
  organization: TestOrganization,
  values: Partial<NewItem> & { externalId: string },
): NewItem {
  const provider = values.provider ?? 'notion'
  return {
    sourceId: organization.sourceIds[provider],
    provider,
    sourceKind: 'document',
    title: values.externalId,
    body: 'apple',
    url: null,
    authorName: null,
    sourceCreatedAt: null,
    sourceUpdatedAt: null,
    metadata: {},
    ...values,
  }
}

/** Items of one chunk each that share the word "common". */
export function manyItems(organization: TestOrganization, count: number): NewItem[] {
  return Array.from({ length: count }, (_, index) =>
    testItem(organization, { externalId: `page-${index}`, body: `common word${index}` }),
  )
}
