import { Alert } from '@mantine/core'

/** Replaces an item that the service does not return. */
export function ItemGone() {
  return (
    <Alert title="This item is no longer available" role="alert">
      It was deleted, or you may no longer read it.
    </Alert>
  )
}
