import { z } from 'zod'

export const port = z.coerce.number().int().min(0).max(65_535)
export const positive = z.coerce.number().int().min(1)
export const url = z
  .url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' })
  .transform((value) => value.replace(/\/+$/, ''))

/** Whether paths can be appended to a URL. */
export function isBaseUrl(value: string): boolean {
  const { username, password, search, hash } = new URL(value)
  return username + password + search + hash === ''
}

export const secret = z.string().min(1)
const ENCRYPTION_KEY_BYTES = 32
export const encryptionKeys = z
  .string()
  .transform((list) => list.split(',').map((key) => Buffer.from(key.trim(), 'base64')))
  .refine(
    (keys) => keys.every((key) => key.length === ENCRYPTION_KEY_BYTES),
    'must be 32 bytes in base64, or several such keys separated by commas',
  )

/** `name=value` pairs, percent-encoded. @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
export const pairList = (namePattern: RegExp) =>
  z.string().transform((list, context): Record<string, string> => {
    const pairs: Record<string, string> = {}
    for (const pair of list.split(',')) {
      const at = pair.indexOf('=')
      const name = pair.slice(0, Math.max(0, at)).trim()
      if (!namePattern.test(name)) {
        context.addIssue({ code: 'custom', message: 'must be name=value pairs, separated by commas' })
        return z.NEVER
      }
      pairs[name] = decoded(pair.slice(at + 1).trim())
    }
    return pairs
  })

/** Invalid percent-encoding is taken literally. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function canDecode(value: string): boolean {
  try {
    return decodeURIComponent(value) !== ''
  } catch {
    return false
  }
}

/** The service reads only host, port and credentials, so anything else is a mistake. */
export function isSmtpUrl(value: string): boolean {
  const server = URL.parse(value)
  if (server === null || !/^smtps?:$/.test(server.protocol) || server.hostname === '') return false
  const isPlain =
    (server.pathname === '' || server.pathname === '/') && server.search === '' && server.hash === ''
  const isDecodable = [server.username, server.password].every((part) => part === '' || canDecode(part))
  return isPlain && isDecodable && (server.username === '') === (server.password === '')
}
