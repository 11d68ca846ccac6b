const PATH = '/console/invitation'

/** Whether the URL is an invitation. Its secret is in the fragment, which browsers never send to servers. */
export function isInvitation(): boolean {
  return globalThis.location.pathname === PATH
}
