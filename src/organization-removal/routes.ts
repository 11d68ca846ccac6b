import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { EXAMPLE_ID, idOf, moment, shownId, text } from '../kernel/schemas.ts'
import type { OrganizationRemovals } from './organization-removals.ts'

export interface OrganizationRemovalServices {
  organizationRemovals: OrganizationRemovals
}

const Removal = z
  .object({
    id: shownId("The organization's ID.", EXAMPLE_ID.organization),
    name: text("The organization's name.", 'Acme'),
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
    audit: 'none',
    summary: 'Remove an organization and all its data',
    description:
      'Access ends at once: keys, members and invitations are deleted, and sources are disconnected. All data is deleted in the ' +
      'background; until then, the list of organizations shows it with `removedAt`. This cannot be undone. Removing it again ' +
      'changes nothing.',
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
    // The trail is deleted with the workspace; the service's log records the act.
    audit: 'none',
    summary: 'Remove the workspace and all its data',
    description:
      'The workspace must be the one of the request (`X-Organization-Id`). Access ends at once, including yours; all data is deleted ' +
      'in the background. This cannot be undone.',
    params: z.object({ id: idOf("The workspace's ID.", EXAMPLE_ID.organization) }),
    responses: { 200: z.object({ removal: Removal }) },
    refuses: ['removal_refused', 'upstream_error'],
    handle: async ({ caller, params, requestId }, { organizationRemovals }) =>
      reply(200, { removal: await organizationRemovals.removeOwn(requestId, caller, params.id) }),
  }),
]
