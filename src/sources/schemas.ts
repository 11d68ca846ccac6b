import { z } from 'zod'
import { SOURCE_STATUSES } from '../database/schema-words.ts'
import { providerOf, SentSettings, SourceSettings } from '../providers/index.ts'
import {
  count,
  EXAMPLE_ID,
  label,
  moment,
  momentOrNull,
  shownId,
  text,
  textOrNull,
} from '../kernel/schemas.ts'
import { FAILURE_CODES } from '../kernel/failure-codes.ts'
import { Audience } from './audience.ts'

export const SourceView = z
  .object({
    id: shownId("The source's id: `connectorId` elsewhere.", EXAMPLE_ID.source),
    provider: providerOf('The provider that it reads.'),
    status: z.enum(SOURCE_STATUSES).meta({
      description:
        '`pending` until the first sync has succeeded, `error` after one that failed, `disabled` while a person paused it.',
      example: 'active',
    }),
    displayName: text('Display name.', 'Team wiki'),
    externalAccountId: text('The account at the provider.', 'T0123456789'),
    lastSyncedAt: momentOrNull('When its last sync succeeded; null: never, or push only.'),
    errorMessage: textOrNull("Why the last sync failed, in the provider's words."),
    errorCode: z.enum(FAILURE_CODES).nullable().optional().meta({
      description: 'Why the last sync failed; null: see `errorMessage`. Only for people in the console.',
      example: null,
    }),
    itemsSkipped: count(
      'Items that its syncs could not read, or that contain nothing to read, as of the last one. Only for people in the console.',
      4,
    ).optional(),
    // Agents see only the allowlist; people see every setting.
    ...SourceSettings.partial().shape,
    channelAllowlist: SourceSettings.shape.channelAllowlist,
    sourceItemCount: count('Number of its items.', 128),
    policyHealth: z.record(z.string(), z.unknown()).nullable().meta({
      description: 'Google Drive only: how many files lack their access policy, and how to fix it.',
      example: null,
    }),
    createdAt: moment('When it was created.'),
    updatedAt: moment('When it last changed.'),
  })
  .meta({ id: 'Source', description: 'Where documents come from: a provider account, or pushes.' })
export type SourceView = z.output<typeof SourceView>

export const SourceName = label.meta({ description: 'Display name.', example: 'Team wiki' })

/**
 * The settings that a person may change. They cannot set `pending` or `error`: `active` restores what a pause hid.
 */
export const SourceChange = z
  .strictObject({
    displayName: SourceName.optional(),
    status: z.enum(['active', 'disabled']).optional().describe('`disabled` pauses it, `active` resumes it.'),
    ...SentSettings.partial().shape,
    audience: Audience.optional().meta({
      description:
        'Who may read items of a source whose provider does not say: `everyone`, `connector` (the person who connected it), or addresses.',
      example: 'connector',
    }),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change something')
  .meta({ example: { displayName: 'Team wiki' } })
export type SourceChange = z.output<typeof SourceChange>

export const SlackChannel = z
  .object({
    id: text("The channel's id, for the allowlist.", 'C0123456789'),
    name: text('Its name.', 'general'),
    isPrivate: z.boolean().meta({ description: 'Whether only its members see it.', example: false }),
    memberCount: count('People in it.', 42),
  })
  .meta({ id: 'SlackChannel', description: 'A channel of a Slack workspace.' })

export const Overview = z.object({
  items: count('Items that are stored.', 128),
  chunks: count('Their passages.', 431),
  itemsWaiting: count('Items that the memory canvas has not read yet.', 0),
  sources: z
    .array(
      SourceView.pick({
        id: true,
        provider: true,
        displayName: true,
        status: true,
        lastSyncedAt: true,
      }).extend({
        items: count('Items stored under it.', 128),
      }),
    )
    .describe('The sources, the oldest first.'),
  isCapped: z.boolean().meta({ description: 'Whether the real numbers are higher.', example: false }),
})
export type Overview = z.output<typeof Overview>

export const RemovalPreview = z.object({
  items: count('Items that would be deleted.', 120),
  chunks: count('Their passages, each with its vector.', 410),
  itemsKept: count('Items that other sources also have, which stay.', 8),
  syncRuns: count('Sync runs that would be deleted.', 14),
})
export type RemovalPreview = z.output<typeof RemovalPreview>
