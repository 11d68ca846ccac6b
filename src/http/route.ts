import type { z } from 'zod'
import type { Action, Role } from '../kernel/actions.ts'
import type { ErrorCode } from '../kernel/error-codes.ts'
import type { AppError } from '../kernel/errors.ts'
import type { BodyReading } from './body-reader.ts'
import type { AgentPrincipal, ConsolePrincipal, ScimPrincipal, UserPrincipal } from '../kernel/principal.ts'
import type { Reader } from '../kernel/reader.ts'
import type { ProviderScope } from '../kernel/scope.ts'
import type { FixedContent } from './fixed-content.ts'
import type { Retrieved } from './gates.ts'
import type { JsonDialect } from './json-dialect.ts'
import type { Html } from './page.ts'
import type { Download } from './send-download.ts'

/** Who may call a route. It has to be written out on each, `public` too. */
export type Access =
  | { surface: 'public' }
  /** `reach`: providers that a call touches whatever it asks for, null for every one; a key limited to fewer is refused. */
  | { surface: 'agent'; action: Action; reach?: ProviderScope }
  /** `role` is the least that is needed; `action` names the rate-limit bucket shared with the agent twin. */
  | { surface: 'console'; role: Role; action: Action }
  /** Signed in, in no particular workspace. */
  | { surface: 'user' }
  | { surface: 'operator' }
  /** A workspace's identity provider, with a SCIM token. */
  | { surface: 'scim' }

export type PrincipalOf<A extends Access> = A extends { surface: 'agent' }
  ? AgentPrincipal
  : A extends { surface: 'console' }
    ? ConsolePrincipal
    : A extends { surface: 'user' }
      ? UserPrincipal
      : A extends { surface: 'scim' }
        ? ScimPrincipal
        : null

/** Where a request says on whose behalf it asks: `onBehalfOf: { email }` of its body, or `onBehalfOf` of its query. */
export type PersonAt = 'body' | 'query'

export type ResponseSchemas = Partial<Record<200 | 201 | 202, z.ZodType>>

/** An answer without a body: 204. */
export interface EmptyReply {
  empty: true
}

/** One server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html); `data` goes out as JSON. */
export interface StreamEvent {
  event: string
  data: unknown
}

export interface StreamReply {
  stream: AsyncIterable<StreamEvent>
  /** What was found, once the first event is there. */
  retrieved: () => Retrieved
}

export interface RedirectReply {
  redirect: string
  /** 303 after a form, so that the browser goes on with GET (RFC 9110, 15.4.4); 302 when not said. */
  status?: 302 | 303
}

/** A file, which is not JSON; the route declares its content types. */
export interface DownloadReply {
  download: Download
}

/** What is the same for everybody, with the bytes ready. */
export interface FixedReply {
  fixed: FixedContent
}

/** A page with a form, for a person in a browser. */
export interface FormReply {
  form: Html
}

type ReplyHeaders = Readonly<Record<string, string>>

interface JsonBody<Status, Body> {
  status: Status
  body: Body
  headers?: ReplyHeaders | undefined
  /** What was found; an answer that costs a credit has to say it. */
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
  principal: PrincipalOf<A>
  /** The caller with what it may read, where the route says where a request names the person (`onBehalfOf`). */
  reader: Reader | null
  /** UUID of this request: `X-Request-Id`, and on every log line. */
  requestId: string
  /** The path that was called, without its query and a slash at its end. */
  path: string
  /** Lower-case header names. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body's bytes as they came, for signatures. */
  rawBody: Buffer
  /** Aborts when the caller goes away or the request has taken too long. */
  signal: AbortSignal
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
  /** With `{name}` for parameters, as OpenAPI has it. */
  path: string
  summary: string
  description?: string
  tag: string
  access: A
  /** Credits that a successful call costs. */
  credits: 0 | 1
  /** The audit action that a call records in its own transaction, or `none`, which has to be written. */
  audit: string
  /** The largest request body in bytes; 256 KiB when not said. */
  bodyBytesMax?: number
  body?: Body
  /** Bounds of a body that is a list, and where a worker thread finds its schema: needed where bodies may be large. */
  reading?: BodyReading
  params?: Params
  query?: Query
  responses: R
  /** Where a request says on whose behalf it asks. A route that shows stored items, or counts them, needs it (`readingTwins`). */
  onBehalfOf?: PersonAt
  /** What the work itself may refuse with, beyond what the pipeline answers for every route of its kind. */
  refuses?: readonly ErrorCode[]
  /** Also answers `Accept: text/event-stream`. */
  streams?: boolean
  /** What the body is, for a route that reads its bytes itself: any content type, in no encoding. */
  upload?: string
  /** The content types of a file that it answers in place of JSON. */
  downloads?: readonly string[]
  /** Another form of JSON than the API's own, for its bodies and its errors. */
  dialect?: JsonDialect
  /** It answers 204, without a body, in place of the declared responses. */
  answersNothing?: boolean
  /** What a person reads instead of JSON whose browser gets an error here; `params` are as they came. */
  errorPage?: (error: AppError, params: unknown) => Html
  handle(request: RouteRequest<A, Body, Params, Query>, services: Services): Promise<Reply<R>>
}

/** A route with its types forgotten: what the server, the OpenAPI document and the every-route tests read. */
export interface Route<Services> {
  operationId: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  summary: string
  description?: string | undefined
  tag: string
  access: Access
  credits: 0 | 1
  audit: string
  bodyBytesMax: number
  body: z.ZodType | undefined
  reading: BodyReading | undefined
  /** Whether a request without a body counts as one with `{}`: every field may be left out. */
  bodyOptional: boolean
  params: z.ZodType | undefined
  query: z.ZodType | undefined
  responses: ResponseSchemas
  onBehalfOf: PersonAt | undefined
  refuses: readonly ErrorCode[]
  streams: boolean
  upload: string | undefined
  downloads: readonly string[]
  dialect: JsonDialect | undefined
  answersNothing: boolean
  errorPage: ((error: AppError, params: unknown) => Html) | undefined
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

export interface UntypedRouteRequest {
  body: unknown
  params: unknown
  query: unknown
  principal: AgentPrincipal | ConsolePrincipal | UserPrincipal | ScimPrincipal | null
  reader: Reader | null
  requestId: string
  path: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  rawBody: Buffer
  signal: AbortSignal
}

const BODY_BYTES_MAX_DEFAULT = 256 * 1024

/**
 * Declares a route: its address, who may call it, what it costs, what it records, its shapes and what it does.
 * Authentication, limits, validation, credits, serialisation and the OpenAPI document all read this one declaration.
 */
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
    description: route.description,
    bodyBytesMax: route.bodyBytesMax ?? BODY_BYTES_MAX_DEFAULT,
    body: route.body,
    reading: route.reading,
    bodyOptional: route.body?.safeParse({}).success ?? false,
    params: route.params,
    query: route.query,
    onBehalfOf: route.onBehalfOf,
    refuses: route.refuses ?? [],
    streams: route.streams ?? false,
    upload: route.upload,
    downloads: route.downloads ?? [],
    dialect: route.dialect,
    answersNothing: route.answersNothing ?? false,
    errorPage: route.errorPage,
    // The pipeline has authenticated for this access rule and parsed with these very schemas.
    handle: (request, services) =>
      route.handle(request as RouteRequest<A, Body, Params, Query>, services) as Promise<UntypedReply>,
  })
}

/** A JSON answer with one of the route's declared statuses. */
export function reply<const S extends 200 | 201 | 202, Body>(
  status: S,
  body: Body,
  headers?: ReplyHeaders,
): { status: S; body: Body; headers: ReplyHeaders | undefined } {
  return { status, body, headers }
}
