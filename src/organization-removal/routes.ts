import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { EXAMPLE_ID, idOf, moment, shownId, text } from '../kernel/schemas.ts'
import type { OrganizationRemovals } from './organization-removals.ts'

export interface OrganizationRemovalServices {
  organizationRemovals: OrganizationRemovals
}

const Removal = z
  .object({
    id: shownId("The organization's id.", EXAMPLE_ID.organization),
    name: text('Its name.', 'Acme'),
    removedAt: moment('When all access ended.'),
  })
  .meta({ id: 'OrganizationRemoval', description: 'A removed organization.' })

export const organizationRemovalRoutes = [
  defineRoute<OrganizationRemovalServices>()({
    operationId: 'operatorRemoveOrganization',
    method: 'DELETE',
    path: '/operator/organizations/{id}',
    tag: 'Operator',
    access: { surface: 'operator' },
    credits: 0,
    audit: 'none',
    summary: 'Remove an organization and all its data',
    description:
      'From the answer on, nobody has access: its keys, members and invitations are gone, and its sources are disconnected. What it ' +
      'stored is deleted in the background; until that is done, the list of organizations has it with `removedAt`. This cannot be ' +
      'undone. Removing it again changes nothing.',
    params: z.object({ id: idOf("The organization's ID, from the list.", EXAMPLE_ID.organization) }),
    responses: { 200: z.object({ removal: Removal }) },
    refuses: ['removal_refused', 'upstream_error'],
    handle: async ({ params, requestId }, { organizationRemovals }) =>
      reply(200, { removal: await organizationRemovals.remove(requestId, params.id) }),
  }),
  defineRoute<OrganizationRemovalServices>()({
    operationId: 'consoleRemoveOrganization',
    method: 'DELETE',
    path: '/v1/console/organizations/{id}',
    tag: 'Workspaces',
    access: { surface: 'console', role: 'owner', action: 'admin' },
    credits: 0,
    // The trail is deleted with the workspace; the service's log records the act.
    audit: 'none',
    summary: 'Remove the workspace and all its data',
    description:
      'The workspace is the one that the request is in (`X-Organization-Id`). From the answer on, nobody has access to it, whoever ' +
      'asks included; what it stored is deleted in the background. This cannot be undone.',
    params: z.object({ id: idOf("The workspace's id.", EXAMPLE_ID.organization) }),
    responses: { 200: z.object({ removal: Removal }) },
    refuses: ['removal_refused', 'upstream_error'],
    handle: async ({ principal, params, requestId }, { organizationRemovals }) =>
      reply(200, { removal: await organizationRemovals.removeOwn(requestId, principal, params.id) }),
  }),
]
