import { z } from 'zod'
import { SYNC_RUN_STATUSES } from '../database/schema-words.ts'
import { count, EXAMPLE_ID, moment, momentOrNull, shownId, text, textOrNull } from '../kernel/schemas.ts'
import { FAILURE_CODES, ITEM_FAILURE_CODES } from '../kernel/failure-codes.ts'

export const SyncRun = z
  .object({
    id: shownId("The run's ID.", EXAMPLE_ID.syncRun),
    connectorId: shownId('The source that the run syncs.', EXAMPLE_ID.source),
    status: z.enum(SYNC_RUN_STATUSES).meta({ description: 'The status.', example: 'succeeded' }),
    fullResync: z
      .boolean()
      .meta({ description: 'Whether the run reads everything again, not only changes.', example: false }),
    startedAt: momentOrNull('When a worker started it.'),
    finishedAt: momentOrNull('When it ended.', '2026-03-02T09:31:12.000Z'),
    itemsDiscovered: count('Items that the provider returned.', 69),
    itemsIngested: count('Items that were new or had changed, and were stored.', 55),
    itemsDeleted: count('Items that were deleted.', 3),
    itemsUnchanged: count(
      'Items that were already stored with the same content. Only for people in the console.',
      10,
    ).optional(),
    itemsSkipped: count(
      'Items that could not be read or contain nothing to read, and were not deleted. Only for people in the console.',
      4,
    ).optional(),
    errorMessage: textOrNull("Why it failed, in the provider's words."),
    createdAt: moment('When it was requested.', '2026-03-02T09:29:58.000Z'),
  })
  .meta({ id: 'SyncRun', description: 'A sync run of a source.' })
export type SyncRun = z.output<typeof SyncRun>

export const SyncRunFailure = z
  .object({
    externalId: text("The item's ID at the provider.", 'F0123456789'),
    title: textOrNull("The item's name, if known.", 'Price list.pdf'),
    message: text('Why it could not be read.', 'It cannot be stored: the text is too long'),
    code: z.enum(ITEM_FAILURE_CODES).nullable().meta({
      description:
        "`service_failed`: processing failed; the service's log has the cause. `not_storable`: over a limit, or rejected by the embedding model. null: see `message`.",
      example: 'not_storable',
    }),
  })
  .meta({ id: 'SyncRunFailure', description: 'An item that a run did not read.' })
export type SyncRunFailure = z.output<typeof SyncRunFailure>

const SkippedItem = z
  .object({
    externalId: text("The item's ID at the provider.", 'F0123456789'),
    title: textOrNull("The item's name, if known.", 'Price list.pdf'),
    reason: text('Why it could not be read.', 'The file is larger than 25 MiB and is not read'),
    isStored: z.boolean().meta({
      description: 'Whether an older version is stored, or the item without the part that could not be read.',
      example: false,
    }),
    at: moment('When it could not be read.'),
  })
  .meta({ id: 'SkippedItem', description: 'An item that a source could not read.' })
export type SkippedItem = z.output<typeof SkippedItem>

export const SyncRunDetails = z.object({
  syncRun: SyncRun,
  errorCode: z
    .enum(FAILURE_CODES)
    .nullable()
    .meta({ description: 'Why it failed; null: see `errorMessage`.', example: null }),
  itemsFailed: count('Number of items that could not be read.', 1),
  failures: z.array(SyncRunFailure).describe('The first hundred items that could not be read.'),
  skipped: z
    .array(SyncRunFailure)
    .describe(
      'The first hundred items that contain nothing to read, such as files of types that are not read.',
    ),
  waitingUntil: momentOrNull('When the wait that the provider asked for ends; null: no wait.', null),
  needsReconnection: z.boolean().meta({
    description: "Whether the run failed because the account's access has ended. Connect the account again.",
    example: false,
  }),
  nextRunAt: momentOrNull(
    "The source's next scheduled sync; null while the run is active or the source is paused.",
  ),
})
export type SyncRunDetails = z.output<typeof SyncRunDetails>

export const SkippedItems = z.object({
  skippedItems: z.array(SkippedItem).describe('The latest 200 items.'),
  isCapped: z.boolean().meta({ description: 'Whether there are more.', example: false }),
})
export type SkippedItems = z.output<typeof SkippedItems>
