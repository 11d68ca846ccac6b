/** Whether a source has no account at its provider and only receives pushed documents. */
export function isPushOnly({ externalAccountId }: { externalAccountId: string }): boolean {
  return externalAccountId.startsWith('push:')
}
