/** A mail of plain text. Line breaks and control characters in `subject` never reach its header as such. */
export interface Mail {
  /** One address, without a name. */
  to: string
  subject: string
  text: string
}

export interface Mailer {
  /** Resolves once the mail server has accepted the mail, with retries for ten seconds. @throws MailError */
  send(mail: Mail): Promise<void>
}

/** The mail server did not accept a mail. Its `code` is the server's reply or the network's error. */
export class MailError extends Error {
  override name = 'MailError'
  readonly code: string

  constructor(code: string) {
    super('the mail server did not accept a mail')
    this.code = code
  }
}
