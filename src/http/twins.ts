import type { z } from 'zod'
import type { Action } from '../kernel/actions.ts'
import type { Role } from '../kernel/roles.ts'
import type { Caller } from '../kernel/caller.ts'
import type { ProviderScope } from '../kernel/scope.ts'
import type { Viewer } from '../kernel/viewer.ts'
import {
  defineRoute,
  type PersonAt,
  type Reply,
  type ResponseSchemas,
  type Route,
  type RouteDefinition,
  type RouteRequest,
} from './route.ts'

type AgentAccess = { surface: 'agent'; action: Action; reach?: ProviderScope }
type ConsoleAccess = { surface: 'console'; role: Role; action: Action }

type Schema = z.ZodType | undefined

/** A request of either twin. */
type TwinRequest<Body, Params, Query> = Omit<RouteRequest<AgentAccess, Body, Params, Query>, 'caller'> & {
  caller: Caller
}

interface Definition<
  Request,
  Body extends Schema,
  Params extends Schema,
  Query extends Schema,
  R extends ResponseSchemas,
  Services,
> extends Omit<RouteDefinition<AgentAccess, Body, Params, Query, R, Services>, 'access' | 'handle'> {
  /** The path below both `/v1` and `/v1/console`. */
  path: string
  action: Action
  /** Of the agent's route, as in its access. */
  reach?: ProviderScope
  consoleRole: Role
  handle(request: Request, services: Services): Promise<Reply<R>>
}

/** Declares a route of the agent surface together with its console twin: one act for two kinds of caller. */
export function twins<Services>() {
  return <
    R extends ResponseSchemas,
    Body extends Schema = undefined,
    Params extends Schema = undefined,
    Query extends Schema = undefined,
  >(
    definition: Definition<
      Omit<TwinRequest<Body, Params, Query>, 'viewer' | 'viewAgain'>,
      Body,
      Params,
      Query,
      R,
      Services
    > & {
      onBehalfOf?: never
    },
  ): Route<Services>[] => bothOf<Services>()<R, Body, Params, Query>(definition)
}

/** Errors for `onBehalfOf`. */
export const PERSON_REFUSALS = ['user_required', 'role_required'] as const

/** Twin routes that return item data: their handlers get a viewer, which functions that read items require. */
export function readingTwins<Services>() {
  return <
    R extends ResponseSchemas,
    Body extends Schema = undefined,
    Params extends Schema = undefined,
    Query extends Schema = undefined,
  >({
    handle,
    refuses = [],
    ...given
  }: Definition<
    Omit<TwinRequest<Body, Params, Query>, 'caller' | 'viewer'> & { viewer: Viewer },
    Body,
    Params,
    Query,
    R,
    Services
  > & { onBehalfOf: PersonAt }): Route<Services>[] =>
    bothOf<Services>()<R, Body, Params, Query>({
      ...given,
      refuses: [...refuses, ...PERSON_REFUSALS],
      handle: async ({ viewer, ...request }, services) =>
        await handle({ ...request, viewer: requireViewer(viewer) }, services),
    })
}

function bothOf<Services>() {
  return <R extends ResponseSchemas, Body extends Schema, Params extends Schema, Query extends Schema>({
    action,
    reach,
    consoleRole,
    ...shared
  }: Definition<TwinRequest<Body, Params, Query>, Body, Params, Query, R, Services>): Route<Services>[] => [
    defineRoute<Services>()<AgentAccess, R, Body, Params, Query>({
      ...shared,
      path: `/v1${shared.path}`,
      access: { surface: 'agent', action, ...(reach !== undefined && { reach }) },
    }),
    defineRoute<Services>()<ConsoleAccess, R, Body, Params, Query>({
      ...shared,
      ...consoleNames(shared),
      access: { surface: 'console', role: consoleRole, action },
    }),
  ]
}

function consoleNames({ operationId, path, tag }: { operationId: string; path: string; tag: string }) {
  return {
    operationId: `console${operationId[0]?.toUpperCase()}${operationId.slice(1)}`,
    path: `/v1/console${path}`,
    tag: `${tag} (console)`,
  }
}

/** The viewer of a route that declares `onBehalfOf`. */
export function requireViewer(viewer: Viewer | null): Viewer {
  if (viewer === null) throw new Error('the pipeline gave a route that reads items no viewer')
  return viewer
}
