/** The requirements of outgoing webhooks: `id: text`. */
export const WEBHOOK_REQUIREMENTS: Record<string, string> = {
  'TELL-1':
    "Admins create, list, change and delete their workspace's webhooks; no one else sees them, and the secret is shown once.",
  'TELL-2':
    'Each action is recorded with its actor. The secret is stored encrypted, and neither the secret nor the whole address is in the trail or the log.',
  'TELL-3': 'A workspace has at most 20 webhooks: 409 webhook_limit_reached with the number.',
  'TELL-4': 'The address must be https and public, whatever its name, unless the operator allows others.',
  'TELL-5': 'Events are signed by Standard Webhooks; after a rotation, with both secrets for 24 hours.',
  'TELL-6':
    'Changes of sources, runs, keys, members and plans emit events with metadata only: the listed fields and no others.',
  'TELL-7':
    'Deliveries are listed in pages with status, attempts and response status, and can be replayed under the same ID, except to a disabled webhook.',
  'TELL-8': 'Low credits emit one event at 80 % and one at 100 %, for each period and cap.',
  'TELL-9':
    'If its transaction commits, an event is sent at least once, with retries over three days, and not before the time of a Retry-After header (at most a day). After that it has failed, and a webhook that received nothing is disabled and says so.',
  'TELL-10':
    'A slow receiver delays no other. A stopping process releases its deliveries, and another process continues those of a dead one.',
}
