import { z } from 'zod'

const CHANNELS_MAX = 1000

/** The settings of a source that its runs follow, as they are returned. */
export const SourceSettings = z.object({
  channelAllowlist: z.array(z.string()).nullable().meta({
    description: 'Slack only: IDs of the channels to read; null: all channels that the bot is a member of.',
    example: null,
  }),
})
export type SourceSettings = z.output<typeof SourceSettings>

/** The same settings as they are sent. */
export const SentSettings = z.object({
  channelAllowlist: z
    .array(
      z
        .string()
        .regex(
          /^[A-Z0-9]{1,64}$/,
          "must be a channel's id, such as C0123456789, not its name; GET /v1/sources/{id}/channels lists them",
        ),
    )
    .max(CHANNELS_MAX)
    .refine((list) => new Set(list).size === list.length, 'must not contain a channel twice')
    .nullable()
    .meta({
      description:
        'IDs of the channels to read, from `GET /v1/sources/{id}/channels`; null: all channels that the bot is a member of.',
      example: ['C0123456789'],
    }),
} satisfies Record<keyof SourceSettings, z.ZodType>)
