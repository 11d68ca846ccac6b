import { setTimeout as wait } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { isLoopback } from '../kernel/loopback.ts'
import { type Mailer, MailError } from './mailer.ts'

const TOTAL_MS = 10_000
const STEP_TIMEOUT_MS = 4_000
/** Before the second and the third attempt. */
const WAITS_MS = [500, 2_000]

/**
 * Sends mail through one SMTP server.
 * @param url `smtp://` or `smtps://` with host, and user and password where the server asks for them. Without TLS from
 * the start, STARTTLS is used where offered, and required before a password leaves this machine.
 * @param from the sender: `memory@example.com` or `Memory <memory@example.com>`
 */
export function createSmtpMailer({
  url,
  from,
  totalMs = TOTAL_MS,
}: {
  url: string
  from: string
  /** Of all attempts together; for tests. */
  totalMs?: number
}): Mailer {
  const options = transportOptions(url)
  return {
    async send({ to, subject, text }) {
      const deadline = AbortSignal.timeout(totalMs)
      const attempt = async (): Promise<void> => {
        const transport = createTransport(options)
        // Marks the mail as a program's, so that it gets no out-of-office replies (RFC 3834).
        const headers = { 'Auto-Submitted': 'auto-generated' }
        const sent = transport.sendMail({ from, to: { name: '', address: to }, subject, text, headers })
        await beforeDeadline(sent, deadline)
      }
      for (let nth = 0; ; nth++) {
        try {
          return await attempt()
        } catch (error) {
          const pause = WAITS_MS[nth]
          if (pause === undefined || isFinal(error)) throw new MailError(codeOf(error))
          await wait(pause, undefined, { signal: deadline }).catch(() => {
            throw new MailError(codeOf(error))
          })
        }
      }
    },
  }
}

/** Host, port, credentials and TLS of an SMTP URL, as nodemailer takes them. */
export function transportOptions(url: string) {
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:'
  const hasPassword = password !== ''
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && hasPassword && !isLoopback(hostname),
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    dnsTimeout: STEP_TIMEOUT_MS,
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
    // The text is the service's own: nothing in it may name a file or an address to read.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

async function beforeDeadline(sent: Promise<unknown>, deadline: AbortSignal): Promise<void> {
  const late = Promise.withResolvers<never>()
  const onLate = (): void => late.reject(deadline.reason)
  if (deadline.aborted) onLate()
  deadline.addEventListener('abort', onLate, { once: true })
  try {
    await Promise.race([sent, late.promise])
  } finally {
    deadline.removeEventListener('abort', onLate)
  }
}

/** A refusal by the server (5xx) or of the credentials, which another attempt would only repeat. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  if ('code' in error && (error.code === 'EAUTH' || error.code === 'ETLS')) return true
  return 'responseCode' in error && typeof error.responseCode === 'number' && error.responseCode >= 500
}

/** Without the server's text, which may repeat addresses. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if ('responseCode' in error && typeof error.responseCode === 'number') return String(error.responseCode)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
