import { OPERATIONS, type components, type operations } from './api.ts'

export type OperationId = keyof typeof OPERATIONS

type Json = 'application/json'

/** An operation's input: its path and query parameters and its body. */
export type Input<Id extends OperationId> = Part<'path', operations[Id]['parameters']['path']> &
  Part<'query', operations[Id]['parameters']['query']> &
  Part<'body', BodyOf<operations[Id]>>

/** The input of any operation. */
export interface AnyInput {
  path?: Readonly<Record<string, string>> | undefined
  query?: object | undefined
  body?: unknown
}

/** The successful response of an operation. */
export type Output<Id extends OperationId> = SuccessOf<operations[Id]['responses']>

/** A shape of the API by its name in the OpenAPI document. */
export type Shape<Name extends keyof components['schemas']> = components['schemas'][Name]

type Part<Name extends string, Type> = [Type] extends [undefined]
  ? object
  : undefined extends Type
    ? { [Key in Name]?: Type }
    : { [Key in Name]: Type }

type BodyOf<Operation> = Operation extends { requestBody: { content: Record<Json, infer Body> } }
  ? Body
  : Operation extends { requestBody?: { content: Record<Json, infer Body> } }
    ? Body | undefined
    : undefined

type SuccessOf<Responses> = {
  [Status in keyof Responses]: Responses[Status] extends { content: Record<Json, infer Body> } ? Body : never
}[keyof Responses]

/** The method and address of an operation. @throws TypeError for an ID that would change the path */
export function addressOf(
  id: OperationId,
  input: Pick<AnyInput, 'path' | 'query'>,
): { method: (typeof OPERATIONS)[OperationId]['method']; path: string } {
  const { method, path } = OPERATIONS[id]
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, input.path?.[name]))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {}))
    if (value !== undefined) query.append(name, String(value))
  const search = query.toString()
  return { method, path: search === '' ? filled : `${filled}?${search}` }
}

/** URLs drop empty and dotted segments, so the request would reach another route. */
function segmentOf(name: string, value = ''): string {
  if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} must not be empty, "." or ".."`)
  return encodeURIComponent(value)
}
