/** The public clients of the development issuer. They have no secret; PKCE takes its place (RFC 7636). */
const CLIENT_IDS = ['console', 'command-line'] as const
export type ClientId = (typeof CLIENT_IDS)[number]

/** The command line's own loopback address, on any port (RFC 8252, 7.3). */
const LOOPBACK_CALLBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(:\d{1,5})?\/callback$/

export function findClient(name: string | undefined): ClientId | undefined {
  return CLIENT_IDS.find((id) => id === name)
}

/** Compares the text as is: another spelling is another address. */
export function isRedirectOf(client: ClientId, redirectUri: string, publicUrl: string): boolean {
  switch (client) {
    case 'console':
      return redirectUri === `${publicUrl}/console/callback`
    case 'command-line':
      return LOOPBACK_CALLBACK.test(redirectUri) && URL.canParse(redirectUri)
  }
}

export function isAfterSignOut(redirectUri: string, publicUrl: string): boolean {
  return [`${publicUrl}/`, `${publicUrl}/console`, `${publicUrl}/console/`].includes(redirectUri)
}
