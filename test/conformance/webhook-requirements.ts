/** The requirements of outgoing webhooks: `id: text`. */
export const WEBHOOK_REQUIREMENTS: Record<string, string> = {
  'TELL-1':
    'Admins make, see, change and remove the webhooks of their workspace; no one else sees them, and the secret is shown once.',
  'TELL-2':
    'Each act is recorded with who did it; the secret is stored encrypted, and neither it nor the whole address is in the trail or the log.',
  'TELL-3': 'At most 20 webhooks a workspace: 409 webhook_limit_reached with the number.',
  'TELL-4':
    'The address has https and is one of the internet, unless the operator allows others, by whatever name.',
  'TELL-5': 'An event is signed as Standard Webhooks has it; after a rotation by both secrets for 24 hours.',
  'TELL-6':
    'Sources, runs, keys, members and plans are told of as they change, with metadata only: the fields of the list and no others.',
  'TELL-7':
    'Deliveries are listed page by page with status, attempts and response status, and sent again on demand under the same id; not to a webhook that is disabled.',
  'TELL-8': 'Credits that run out are told of at 80 and at 100 %, once each for a period and its cap.',
  'TELL-9':
    'An event is sent if its transaction commits, at least once, by a schedule over three days, and not before the time of a Retry-After header (a day at most); after that it has failed, and a webhook to which nothing got through is disabled and says so.',
  'TELL-10':
    'A slow receiver delays no other. A stopping process releases its deliveries; another continues those of a dead process.',
}
