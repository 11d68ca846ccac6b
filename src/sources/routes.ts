import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { PERSON_REFUSALS, requireViewer, twins } from '../http/twins.ts'
import { providerOf, SentSettings, SourceSettings } from '../providers/index.ts'
import { EXAMPLE_ID, idOf, onBehalfOfQuery } from '../kernel/schemas.ts'
import type { Sources } from './sources.ts'
import { Overview, RemovalPreview, SlackChannel, SourceChange, SourceName, SourceView } from './schemas.ts'

export interface SourceServices {
  sources: Sources
}

const params = z.object({ id: idOf("The source's ID, from `GET /v1/sources`.", EXAMPLE_ID.source) })

export const sourceRoutes = [
  ...twins<SourceServices>()({
    operationId: 'listSources',
    method: 'GET',
    path: '/sources',
    summary: 'List sources',
    tag: 'Sources',
    action: 'sources:read',
    consoleRole: 'admin',
    audit: 'none',
    responses: { 200: z.object({ sources: z.array(SourceView).describe('The sources.') }) },
    handle: async ({ caller }, { sources }) => reply(200, { sources: await sources.list(caller) }),
  }),
  ...twins<SourceServices>()({
    operationId: 'listSourceChannels',
    method: 'GET',
    path: '/sources/{id}/channels',
    summary: "List a Slack source's channels",
    description:
      'All public channels, and the private channels that the bot is a member of. Archived channels are omitted.',
    tag: 'Sources',
    action: 'sources:read',
    consoleRole: 'admin',
    audit: 'none',
    params,
    refuses: ['not_a_slack_source', 'upstream_error', 'not_configured'],
    responses: {
      200: z.object({
        channels: z.array(SlackChannel).describe('The channels that an allowlist can name.'),
        channelAllowlist: SourceSettings.shape.channelAllowlist,
      }),
    },
    handle: async ({ caller, params: { id }, signal }, { sources }) =>
      reply(200, await sources.channels(caller, id, signal)),
  }),
  defineRoute<SourceServices>()({
    operationId: 'updateSource',
    method: 'PATCH',
    path: '/v1/sources/{id}',
    summary: "Change a Slack source's channel allowlist",
    description:
      'Takes effect with the next sync run, which joins the public channels on the list and deletes the items of other channels. `null` ingests every channel that the bot is a member of, and joins none.',
    tag: 'Sources',
    access: { surface: 'agent', action: 'sources:write' },
    audit: 'connector.allowlist.update',
    params,
    body: SentSettings.pick({ channelAllowlist: true }).strict(),
    refuses: ['not_a_slack_source'],
    responses: {
      200: SourceView.pick({ id: true, provider: true, displayName: true, channelAllowlist: true }).meta({
        example: {
          id: EXAMPLE_ID.source,
          provider: 'slack',
          displayName: 'Acme',
          channelAllowlist: ['C0123456789'],
        },
      }),
    },
    handle: async ({ caller, params: { id }, body }, { sources }) =>
      reply(200, await sources.change(caller, id, body)),
  }),
  defineRoute<SourceServices>()({
    operationId: 'consoleCreateSource',
    method: 'POST',
    path: '/v1/console/sources',
    summary: 'Create a push-only source',
    tag: 'Sources (console)',
    access: { surface: 'console', role: 'admin', action: 'sources:write' },
    audit: 'source.create',
    body: z.strictObject({
      provider: providerOf('The provider that its documents belong to.'),
      displayName: SourceName,
    }),
    responses: { 201: z.object({ source: SourceView }) },
    handle: async ({ caller, body }, { sources }) =>
      reply(201, { source: await sources.createPushOnly(caller, body) }),
  }),
  defineRoute<SourceServices>()({
    operationId: 'consoleUpdateSource',
    method: 'PATCH',
    path: '/v1/console/sources/{id}',
    summary: 'Rename, pause or resume a source, or change its allowlist or audience',
    tag: 'Sources (console)',
    access: { surface: 'console', role: 'admin', action: 'sources:write' },
    audit: 'source.update',
    params,
    body: SourceChange,
    refuses: ['not_a_slack_source', 'audience_not_supported'],
    responses: { 200: z.object({ source: SourceView }) },
    handle: async ({ caller, params: { id }, body }, { sources }) =>
      reply(200, { source: await sources.change(caller, id, body) }),
  }),
  defineRoute<SourceServices>()({
    operationId: 'consoleDeleteSource',
    method: 'DELETE',
    path: '/v1/console/sources/{id}',
    summary: 'Delete a source with all its items',
    tag: 'Sources (console)',
    access: { surface: 'console', role: 'admin', action: 'sources:write' },
    audit: 'source.delete',
    params,
    responses: { 200: z.object({ source: SourceView }) },
    handle: async ({ caller, params: { id } }, { sources }) =>
      reply(200, { source: await sources.remove(caller, id) }),
  }),
  defineRoute<SourceServices>()({
    operationId: 'consolePreviewSourceRemoval',
    method: 'GET',
    path: '/v1/console/sources/{id}/removal',
    summary: 'Count what removing a source would delete',
    tag: 'Sources (console)',
    access: { surface: 'console', role: 'admin', action: 'sources:read' },
    audit: 'none',
    params,
    responses: {
      200: z.object({
        removal: RemovalPreview.describe('What would be deleted, and what would stay.'),
      }),
    },
    handle: async ({ caller, params: { id } }, { sources }) =>
      reply(200, { removal: await sources.previewRemoval(caller, id) }),
  }),
  defineRoute<SourceServices>()({
    operationId: 'consoleOverview',
    method: 'GET',
    path: '/v1/console/overview',
    summary: 'Counts of stored items',
    description:
      "For the console's first page. Counts only items that you may read, up to 100,000 items per source and 500,000 passages.",
    tag: 'Sources (console)',
    access: { surface: 'console', role: 'member', action: 'sources:read' },
    audit: 'none',
    query: z.strictObject({ onBehalfOf: onBehalfOfQuery }),
    onBehalfOf: 'query',
    refuses: PERSON_REFUSALS,
    responses: {
      200: Overview,
    },
    handle: async ({ viewer }, { sources }) => reply(200, await sources.overview(requireViewer(viewer))),
  }),
]
