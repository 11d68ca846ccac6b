const PATH = '/console/invitation'

/** Whether the address is that of an invitation. Its secret is in the fragment, which no server and no log is sent. */
export function isInvitation(): boolean {
  return globalThis.location.pathname === PATH
}
