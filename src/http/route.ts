import type { IncomingHttpHeaders } from 'node:http'
import type { z } from 'zod'
import type { Action } from '../kernel/actions.ts'
import type { Role } from '../kernel/roles.ts'
import type { ErrorCode } from '../kernel/error-codes.ts'
import type { AppError } from '../kernel/errors.ts'
import type { BodyReading } from './body-reader.ts'
import type { AgentCaller, ConsoleCaller, ScimCaller, UserCaller } from '../kernel/caller.ts'
import type { Viewer } from '../kernel/viewer.ts'
import type { ProviderScope } from '../kernel/scope.ts'
import type { FixedContent } from './fixed-content.ts'
import type { Retrieved } from './gates.ts'
import type { Html } from './page.ts'
import type { Download } from './send-download.ts'

/** Who can call a route. Every route declares it, even `public`. */
export type Access =
  | { surface: 'public' }
  /** `reach`: the providers that a call always touches, null for every one; a key limited to fewer is refused. */
  | { surface: 'agent'; action: Action; reach?: ProviderScope }
  /** `role` is the least required one. `action` grants nothing: it names the rate window and the charge of the agent twin. */
  | { surface: 'console'; role: Role; action: Action }
  /** Signed in, outside any workspace. */
  | { surface: 'user' }
  | { surface: 'operator' }
  /** A workspace's identity provider, with a SCIM token. */
  | { surface: 'scim' }

export type CallerOf<A extends Access> = A extends { surface: 'agent' }
  ? AgentCaller
  : A extends { surface: 'console' }
    ? ConsoleCaller
    : A extends { surface: 'user' }
      ? UserCaller
      : A extends { surface: 'scim' }
        ? ScimCaller
        : null

/** `onBehalfOf: { email }` in the body, or `onBehalfOf` in the query. */
export type PersonAt = 'body' | 'query'

export type ResponseSchemas = Partial<Record<200 | 201 | 202, z.ZodType>>

/** A response without a body: 204. */
export interface EmptyReply {
  empty: true
}

/** One server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html); `data` is sent as JSON. */
export interface StreamEvent {
  event: string
  data: unknown
}

export interface StreamReply {
  stream: AsyncIterable<StreamEvent>
  /** The retrieved items; available after the first event. */
  retrieved: () => Retrieved
}

export interface RedirectReply {
  redirect: string
  /** 303 after a form, so that the browser continues with GET (RFC 9110, 15.4.4). Defaults to 302. */
  status?: 302 | 303
}

/** The route declares its content types. */
export interface DownloadReply {
  download: Download
}

export interface FixedReply {
  fixed: FixedContent
}

export interface FormReply {
  form: Html
}

type ReplyHeaders = Readonly<Record<string, string>>

interface JsonBody<Status, Body> {
  status: Status
  body: Body
  headers?: ReplyHeaders | undefined
  /** What was retrieved; a response that costs a credit must set it. */
  retrieved?: Retrieved
}

type JsonReply<R extends ResponseSchemas> = {
  [S in keyof R]: R[S] extends z.ZodType ? JsonBody<S, z.input<R[S]>> : never
}[keyof R]

export type Reply<R extends ResponseSchemas> =
  | JsonReply<R>
  | StreamReply
  | RedirectReply
  | FormReply
  | FixedReply
  | DownloadReply
  | EmptyReply

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined

export interface RouteRequest<A extends Access, Body, Params, Query> {
  body: Parsed<Body>
  params: Parsed<Params>
  query: Parsed<Query>
  caller: CallerOf<A>
  /** The caller with what it may read, on a route that declares `onBehalfOf`. */
  viewer: Viewer | null
  /** The same as of now, for an answer that takes long. @throws AppError once the caller is refused */
  viewAgain(): Promise<Viewer | null>
  /** The UUID of this request: `X-Request-Id`, and on every log line. */
  requestId: string
  /** The requested path, without its query and trailing slash. */
  path: string
  /** Header names are lowercase. */
  headers: Readonly<IncomingHttpHeaders>
  /** The body's bytes as received, for signatures. */
  rawBody: Buffer
  /** Aborts when the caller disconnects or the request takes too long. */
  signal: AbortSignal
}

/** Another protocol's JSON conventions, which a route uses instead of the API's. */
export interface JsonDialect {
  /** Of responses and errors. Requests can use it or plain JSON. */
  contentType: string
  errorBody(error: AppError): object
}

export interface RouteDefinition<
  A extends Access,
  Body extends z.ZodType | undefined,
  Params extends z.ZodType | undefined,
  Query extends z.ZodType | undefined,
  R extends ResponseSchemas,
  Services,
> {
  operationId: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `{name}` for parameters, as in OpenAPI. */
  path: string
  summary: string
  description?: string
  tag: string
  access: A
  /** The price of a successful call; free by default. */
  credits?: 1
  /** The audit action that a call records in its own transaction. A route without one must say `none`. */
  audit: string
  /** The largest request body in bytes; 256 KiB by default. */
  bodyBytesMax?: number
  body?: Body
  /** Limits of a body that is a list, and where a worker thread finds its schema. Required when bodies can be large. */
  reading?: BodyReading
  params?: Params
  query?: Query
  responses: R
  /** Where a request names its person. Required on routes that show or count stored items (`readingTwins`). */
  onBehalfOf?: PersonAt
  /** Errors of the work itself, beyond those that the pipeline returns for every route of its kind. */
  refuses?: readonly ErrorCode[]
  /** Also answers `Accept: text/event-stream`. */
  streams?: boolean
  /** Describes the body of a route that reads its bytes itself: any content type, no encoding. */
  upload?: string
  /** The content types of a file that it returns instead of JSON. */
  downloads?: readonly string[]
  /** JSON conventions other than the API's, for its bodies and errors. */
  dialect?: JsonDialect
  /** The page that a browser gets for an error here, instead of JSON; `params` are not validated. */
  errorPage?: (error: AppError, params: unknown) => Html
  handle(request: RouteRequest<A, Body, Params, Query>, services: Services): Promise<Reply<R>>
}

type Untyped<Services> = RouteDefinition<
  Access,
  z.ZodType | undefined,
  z.ZodType | undefined,
  z.ZodType | undefined,
  ResponseSchemas,
  Services
>
type WithDefault = 'bodyBytesMax' | 'refuses' | 'streams' | 'downloads'

/** A route without its type parameters, as the server, the OpenAPI document and the every-route tests read it. */
export interface Route<Services>
  extends
    Omit<Untyped<Services>, WithDefault | 'credits' | 'handle'>,
    Required<Pick<Untyped<Services>, WithDefault>> {
  credits: 0 | 1
  /** Whether a missing body counts as `{}`: every field is optional. */
  bodyOptional: boolean
  handle(request: UntypedRouteRequest, services: Services): Promise<UntypedReply>
}

export type UntypedReply =
  | JsonBody<number, unknown>
  | StreamReply
  | RedirectReply
  | FormReply
  | FixedReply
  | DownloadReply
  | EmptyReply

type ValidatedPart = 'body' | 'params' | 'query' | 'caller'

export interface UntypedRouteRequest extends Omit<
  RouteRequest<Access, undefined, undefined, undefined>,
  ValidatedPart
> {
  body: unknown
  params: unknown
  query: unknown
  caller: AgentCaller | ConsoleCaller | UserCaller | ScimCaller | null
}

const BODY_BYTES_MAX_DEFAULT = 256 * 1024

/** Declares a route. Authentication, limits, validation, credits and the OpenAPI document derive from it. */
export function defineRoute<Services>() {
  return <
    const A extends Access,
    R extends ResponseSchemas,
    Body extends z.ZodType | undefined = undefined,
    Params extends z.ZodType | undefined = undefined,
    Query extends z.ZodType | undefined = undefined,
  >(
    route: RouteDefinition<A, Body, Params, Query, R, Services>,
  ): Route<Services> => ({
    ...route,
    credits: route.credits ?? 0,
    bodyBytesMax: route.bodyBytesMax ?? BODY_BYTES_MAX_DEFAULT,
    bodyOptional: route.body?.safeParse({}).success ?? false,
    refuses: route.refuses ?? [],
    streams: route.streams ?? false,
    downloads: route.downloads ?? [],
    // The pipeline has authenticated for this access rule and parsed with these schemas.
    handle: (request, services) =>
      route.handle(request as RouteRequest<A, Body, Params, Query>, services) as Promise<UntypedReply>,
  })
}

/** A JSON response with one of the route's declared statuses. */
export function reply<const S extends 200 | 201 | 202, Body>(
  status: S,
  body: Body,
  headers?: ReplyHeaders,
): { status: S; body: Body; headers: ReplyHeaders | undefined } {
  return { status, body, headers }
}
