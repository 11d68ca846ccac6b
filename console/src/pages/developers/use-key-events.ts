import { unwrap } from '../../api/client.ts'
import { useRead } from '../../data/use-api.ts'

/** The events about a key: its creation and its revocation, newest first. */
export function useKeyEvents(id: string) {
  return useRead(['audit-events', 'of-key', id], async (api, signal) => {
    const query = { target: id }
    return (await unwrap(api.GET('/v1/console/audit-events', { params: { query }, signal }))).auditEvents
  })
}
