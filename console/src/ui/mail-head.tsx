import type { Schemas } from '../api/client.ts'
import { stringsOf } from './chat-text.ts'
import classes from './mail-head.module.css'
import { RelativeTime } from './relative-time.tsx'

const SHOWN_MAX = 10

type Mail = Pick<Schemas['SourceItem'], 'metadata' | 'authorName' | 'sourceCreatedAt' | 'title'>

/** The headers of an email; nothing for other items. */
export function MailHead({ item }: { item: Mail }) {
  const { metadata, authorName, sourceCreatedAt, title } = item
  const recipients = recipientsOf(metadata)
  const address = typeof metadata.senderEmail === 'string' ? metadata.senderEmail : null
  if (recipients.length === 0 || address === null) return null
  const from = authorName === null || authorName === address ? address : `${authorName} <${address}>`
  const attachments = stringsOf(metadata.attachments)
  const more = recipients.length - SHOWN_MAX
  return (
    <dl className={classes.head} aria-label="Mail">
      <dt>From</dt>
      <dd>{from}</dd>
      <dt>To</dt>
      <dd>
        {recipients.slice(0, SHOWN_MAX).join(', ')}
        {more > 0 && ` and ${more} more`}
      </dd>
      <dt>Subject</dt>
      <dd>{title}</dd>
      {sourceCreatedAt !== null && (
        <>
          <dt>Sent</dt>
          <dd>
            <RelativeTime at={sourceCreatedAt} />
          </dd>
        </>
      )}
      {attachments.length > 0 && (
        <>
          <dt>Attachments</dt>
          <dd>{attachments.join(', ')}</dd>
        </>
      )}
    </dl>
  )
}

/** The recipients' addresses, with names where present. */
function recipientsOf(metadata: Record<string, unknown>): string[] {
  const named = stringsOf(metadata.namedRecipients)
  return stringsOf(metadata.recipients).map(
    (address) => named.find((one) => one.endsWith(`<${address}>`)) ?? address,
  )
}
