import type { Db } from '../../src/database/database.ts'
import { changeItems } from '../../src/item-changes/index.ts'
import { deleteItems, type NewItem } from '../../src/items/index.ts'
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

/** Deletes an organization's items with these external ids, and skips missing ones. */
export async function deleteNamed(
  db: Db,
  organizationId: string,
  externalIds: readonly string[],
): Promise<void> {
  await changeItems(db, organizationId, async (tx, changes) => {
    const rows = await tx
      .selectFrom('source_items')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('external_id', 'in', externalIds)
      .execute()
    const ids = rows.map(({ id }) => id)
    await deleteItems(tx, changes, organizationId, ids)
  })
}
