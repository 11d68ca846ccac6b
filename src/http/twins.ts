import type { z } from 'zod'
import type { Action, Role } from '../kernel/actions.ts'
import type { Caller } from '../kernel/principal.ts'
import type { Reader } from '../kernel/reader.ts'
import {
  defineRoute,
  type PersonAt,
  type Reply,
  type ResponseSchemas,
  type Route,
  type RouteDefinition,
  type RouteRequest,
} from './route.ts'

type AgentAccess = { surface: 'agent'; action: Action }
type ConsoleAccess = { surface: 'console'; role: Role; action: Action }

interface TwinDefinition<
  Body extends z.ZodType | undefined,
  Params extends z.ZodType | undefined,
  Query extends z.ZodType | undefined,
  R extends ResponseSchemas,
  Services,
> extends Omit<RouteDefinition<AgentAccess, Body, Params, Query, R, Services>, 'access' | 'handle'> {
  /** The path below both `/v1` and `/v1/console`. */
  path: string
  action: Action
  consoleRole: Role
  onBehalfOf?: never
  handle(
    request: Omit<RouteRequest<AgentAccess, Body, Params, Query>, 'principal' | 'reader'> & {
      principal: Caller
    },
    services: Services,
  ): Promise<Reply<R>>
}

/** Declares a route of the agent surface together with its console twin: one act for two kinds of caller. */
export function twins<Services>() {
  return <
    R extends ResponseSchemas,
    Body extends z.ZodType | undefined = undefined,
    Params extends z.ZodType | undefined = undefined,
    Query extends z.ZodType | undefined = undefined,
  >({
    action,
    consoleRole,
    ...shared
  }: TwinDefinition<Body, Params, Query, R, Services>): Route<Services>[] => [
    defineRoute<Services>()<AgentAccess, R, Body, Params, Query>({
      ...shared,
      path: `/v1${shared.path}`,
      access: { surface: 'agent', action },
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

/** What the person that a request names may be refused for. */
const PERSON_REFUSALS = ['user_required', 'role_required'] as const

function needed(reader: Reader | null): Reader {
  if (reader === null) throw new Error('the pipeline gave a route that reads items no reader')
  return reader
}

interface ReadingDefinition<
  Body extends z.ZodType | undefined,
  Params extends z.ZodType | undefined,
  Query extends z.ZodType | undefined,
  R extends ResponseSchemas,
  Services,
> extends Omit<TwinDefinition<Body, Params, Query, R, Services>, 'onBehalfOf' | 'handle'> {
  onBehalfOf: PersonAt
  handle(
    request: Omit<RouteRequest<AgentAccess, Body, Params, Query>, 'principal' | 'reader'> & {
      reader: Reader
    },
    services: Services,
  ): Promise<Reply<R>>
}

/**
 * Twins that show stored items, or say something of them. They get the reader in place of the caller: what reads items takes no
 * caller, so a route of another kind cannot show any.
 */
export function readingTwins<Services>() {
  return <
    R extends ResponseSchemas,
    Body extends z.ZodType | undefined = undefined,
    Params extends z.ZodType | undefined = undefined,
    Query extends z.ZodType | undefined = undefined,
  >({
    action,
    consoleRole,
    handle,
    ...given
  }: ReadingDefinition<Body, Params, Query, R, Services>): Route<Services>[] => {
    const shared = { ...given, refuses: [...(given.refuses ?? []), ...PERSON_REFUSALS] }
    return [
      defineRoute<Services>()<AgentAccess, R, Body, Params, Query>({
        ...shared,
        path: `/v1${shared.path}`,
        access: { surface: 'agent', action },
        handle: async ({ reader, ...request }, services) =>
          await handle({ ...request, reader: needed(reader) }, services),
      }),
      defineRoute<Services>()<ConsoleAccess, R, Body, Params, Query>({
        ...shared,
        ...consoleNames(shared),
        access: { surface: 'console', role: consoleRole, action },
        handle: async ({ reader, ...request }, services) =>
          await handle({ ...request, reader: needed(reader) }, services),
      }),
    ]
  }
}
