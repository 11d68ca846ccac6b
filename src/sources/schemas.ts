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
    id: shownId("The source's ID. Other endpoints call it `connectorId`.", EXAMPLE_ID.source),
    provider: providerOf("The source's provider."),
    status: z.enum(SOURCE_STATUSES).meta({
      description:
        '`pending` until the first sync succeeds, `error` after a failed sync, `disabled` while the source is paused.',
      example: 'active',
    }),
    displayName: text('Display name.', 'Team wiki'),
    externalAccountId: text('The account at the provider.', 'T0123456789'),
    lastSyncedAt: momentOrNull('When a sync last succeeded; null: never, or the source is push-only.'),
    errorMessage: textOrNull("Why the last sync failed, in the provider's words."),
    errorCode: z.enum(FAILURE_CODES).nullable().optional().meta({
      description: 'Why the last sync failed; null: see `errorMessage`. Only for people in the console.',
      example: null,
    }),
    itemsSkipped: count(
      'Items that syncs could not read or that contain nothing to read, as of the last sync. Only for people in the console.',
      4,
    ).optional(),
    audience: Audience.optional().meta({
      description:
        "Who may read the source's items, if its provider does not report this. Only for people in the console.",
      example: 'connector',
    }),
    // Agents see only the allowlist; people see every setting.
    ...SourceSettings.partial().shape,
    channelAllowlist: SourceSettings.shape.channelAllowlist,
    sourceItemCount: count('Number of stored items.', 128),
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
    status: z
      .enum(['active', 'disabled'])
      .optional()
      .describe('`disabled` pauses the source, `active` resumes it.'),
    ...SentSettings.partial().shape,
    audience: Audience.optional().meta({
      description:
        "Who may read the source's items if its provider does not report this: `everyone`, `connector` (the owner of the mailbox, or the person who connected another source), or a list of addresses.",
      example: 'connector',
    }),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change something')
  .meta({ example: { displayName: 'Team wiki' } })
export type SourceChange = z.output<typeof SourceChange>

export const SlackChannel = z
  .object({
    id: text("The channel's ID, for the allowlist.", 'C0123456789'),
    name: text("The channel's name.", 'general'),
    isPrivate: z.boolean().meta({ description: 'Whether only members can see the channel.', example: false }),
    memberCount: count('Number of members.', 42),
  })
  .meta({ id: 'SlackChannel', description: 'A channel of a Slack workspace.' })

export const Overview = z.object({
  items: count('Stored items.', 128),
  chunks: count('Passages of the stored items.', 431),
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
        items: count('Stored items of the source.', 128),
      }),
    )
    .describe('The sources, oldest first.'),
  isCapped: z.boolean().meta({
    description: 'Whether counting stopped at a limit. The real numbers are then higher.',
    example: false,
  }),
})
export type Overview = z.output<typeof Overview>

export const RemovalPreview = z.object({
  items: count('Items that would be deleted.', 120),
  chunks: count('Passages of these items, each with its vector.', 410),
  itemsKept: count('Items that stay because other sources also have them.', 8),
  syncRuns: count('Sync runs that would be deleted.', 14),
})
export type RemovalPreview = z.output<typeof RemovalPreview>
