import { type AppError, validationError } from '../kernel/errors.ts'
import { isPublicAddress, literalAddress } from '../guarded-requests/addresses.ts'

/** Refuses a URL to which nothing would be sent; names are resolved at every attempt. @throws AppError */
export function checkUrl(text: string, allowsPrivate: boolean): void {
  const url = URL.parse(text)
  if (!url || !(url.protocol === 'https:' || (allowsPrivate && url.protocol === 'http:')))
    throw refusal(allowsPrivate ? 'must begin with https:// or http://' : 'must begin with https://')
  if (url.username !== '' || url.password !== '')
    throw refusal('must not contain a user name or password; events are signed instead')
  if (url.hash !== '') throw refusal('must not have a fragment')
  const literal = literalAddress(url)
  if (literal !== null && !allowsPrivate && !isPublicAddress(literal))
    throw refusal('must be a public address, not an address of a private network or of this machine')
}

function refusal(words: string): AppError {
  return validationError([{ path: 'url', message: `url ${words}` }])
}
