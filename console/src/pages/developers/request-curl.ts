import { exampleBody } from './key-actions.ts'

/** Stands for the secret, which the console does not have. */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY'

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH'])

/** A logged request as a curl command. The log has no bodies, so the command shows an example and placeholders. */
export function requestCurl(url: string, { method, path }: { method: string; path: string }): string {
  const address = `${url}${path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => name.toUpperCase())}`
  const lines = [
    method === 'GET' ? `curl ${address}` : `curl -X ${method} ${address}`,
    `-H 'Authorization: Bearer ${KEY_PLACEHOLDER}'`,
    ...(path === '/mcp' ? [`-H 'Accept: application/json, text/event-stream'`] : []),
    ...(WITH_BODY.has(method)
      ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(exampleBody(path))}'`]
      : []),
  ]
  return lines.join(' \\\n  ')
}
