import type { z } from 'zod'
import type { Action, Role } from '../kernel/actions.ts'
import type { Caller } from '../kernel/principal.ts'
import {
  defineRoute,
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
  /** Below `/v1` and `/v1/console` alike. */
  path: string
  action: Action
  consoleRole: Role
  handle(
    request: Omit<RouteRequest<AgentAccess, Body, Params, Query>, 'principal'> & { principal: Caller },
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
      operationId: `console${shared.operationId[0]?.toUpperCase()}${shared.operationId.slice(1)}`,
      path: `/v1/console${shared.path}`,
      tag: `${shared.tag} (console)`,
      access: { surface: 'console', role: consoleRole, action },
    }),
  ]
}
