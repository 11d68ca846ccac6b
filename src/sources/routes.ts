import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { twins } from '../http/twins.ts'
import { PROVIDERS } from '../providers/index.ts'
import { givenId, label } from '../kernel/schemas.ts'
import type { Sources } from './sources.ts'

export interface SourceServices {
  sources: Sources
}

const Source = z
  .object({
    id: z.uuid(),
    provider: z.enum(PROVIDERS),
    status: z.enum(['pending', 'active', 'error', 'disabled']),
    displayName: z.string(),
    externalAccountId: z.string(),
    lastSyncedAt: z.iso.datetime().nullable(),
    errorMessage: z.string().nullable(),
    channelAllowlist: z.array(z.string()).nullable(),
    sourceItemCount: z.int(),
    policyHealth: z.record(z.string(), z.unknown()).nullable(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Source' })

const SlackChannel = z
  .object({ id: z.string(), name: z.string(), isPrivate: z.boolean(), memberCount: z.int() })
  .meta({ id: 'SlackChannel' })

const CHANNELS_MAX = 1000
const ChannelAllowlist = z
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

const params = z.object({ id: givenId })

export const sourceRoutes = [
  ...twins<SourceServices>()({
    operationId: 'listSources',
    method: 'GET',
    path: '/sources',
    summary: 'List sources',
    tag: 'Sources',
    action: 'sources:read',
    consoleRole: 'admin',
    credits: 0,
    audit: 'none',
    responses: { 200: z.object({ sources: z.array(Source) }) },
    handle: async ({ principal }, { sources }) => reply(200, { sources: await sources.list(principal) }),
  }),
  ...twins<SourceServices>()({
    operationId: 'listSourceChannels',
    method: 'GET',
    path: '/sources/{id}/channels',
    summary: "List a Slack source's channels",
    tag: 'Sources',
    action: 'sources:read',
    consoleRole: 'admin',
    credits: 0,
    audit: 'none',
    params,
    refuses: ['not_a_slack_source', 'upstream_error', 'not_configured'],
    responses: {
      200: z.object({ channels: z.array(SlackChannel), channelAllowlist: z.array(z.string()).nullable() }),
    },
    handle: async ({ principal, params: { id }, signal }, { sources }) =>
      reply(200, await sources.channels(principal, id, signal)),
  }),
  defineRoute<SourceServices>()({
    operationId: 'updateSource',
    method: 'PATCH',
    path: '/v1/sources/{id}',
    summary: "Change a Slack source's channel allowlist",
    description: 'Takes effect on the next sync run; null ingests every channel that the bot is a member of.',
    tag: 'Sources',
    access: { surface: 'agent', action: 'sources:write' },
    credits: 0,
    audit: 'connector.allowlist.update',
    params,
    body: z.strictObject({ channelAllowlist: ChannelAllowlist }),
    refuses: ['not_a_slack_source'],
    responses: {
      200: z.object({
        id: z.uuid(),
        provider: z.enum(PROVIDERS),
        displayName: z.string(),
        channelAllowlist: z.array(z.string()).nullable(),
      }),
    },
    handle: async ({ principal, params: { id }, body }, { sources }) =>
      reply(200, await sources.change(principal, id, body)),
  }),
  defineRoute<SourceServices>()({
    operationId: 'consoleCreateSource',
    method: 'POST',
    path: '/v1/console/sources',
    summary: 'Make a source that takes pushed documents only',
    tag: 'Sources',
    access: { surface: 'console', role: 'admin', action: 'sources:write' },
    credits: 0,
    audit: 'source.create',
    body: z.strictObject({ provider: z.enum(PROVIDERS), displayName: label }),
    refuses: ['plan_limit_reached'],
    responses: { 201: z.object({ source: Source }) },
    handle: async ({ principal, body }, { sources }) =>
      reply(201, { source: await sources.createPushOnly(principal, body) }),
  }),
  defineRoute<SourceServices>()({
    operationId: 'consoleUpdateSource',
    method: 'PATCH',
    path: '/v1/console/sources/{id}',
    summary: 'Rename, pause or resume a source, or change its allowlist',
    tag: 'Sources',
    access: { surface: 'console', role: 'admin', action: 'sources:write' },
    credits: 0,
    audit: 'source.update',
    params,
    body: z
      .strictObject({
        displayName: label.optional(),
        status: z.enum(['active', 'disabled']).optional(),
        channelAllowlist: ChannelAllowlist.optional(),
      })
      .refine((body) => Object.keys(body).length > 0, 'must change something'),
    refuses: ['not_a_slack_source'],
    responses: { 200: z.object({ source: Source }) },
    handle: async ({ principal, params: { id }, body }, { sources }) =>
      reply(200, { source: await sources.change(principal, id, body) }),
  }),
  defineRoute<SourceServices>()({
    operationId: 'consoleDeleteSource',
    method: 'DELETE',
    path: '/v1/console/sources/{id}',
    summary: 'Remove a source with everything it brought',
    tag: 'Sources',
    access: { surface: 'console', role: 'admin', action: 'sources:write' },
    credits: 0,
    audit: 'source.delete',
    params,
    responses: { 200: z.object({ source: Source }) },
    handle: async ({ principal, params: { id } }, { sources }) =>
      reply(200, { source: await sources.remove(principal, id) }),
  }),
]
