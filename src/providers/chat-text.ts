interface ChatMessage {
  author: string
  text: string
}

const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/
/** The marks of quotes and lists, which readers of the text can drop. */
const MARKS = /^[\s>*•-]{1,100}/
/** One to four capitalized words and a colon. */
const LIKE_A_SENDER = /^\p{Lu}[\p{L}.'’-]{0,30}(?: \p{Lu}[\p{L}.'’-]{0,30}){0,3}: /u

/**
 * The text of a chat: each message begins with its author, and its further lines are indented, so that none looks like
 * the line of another sender. A single message has an author only if a line looks like that of a sender.
 */
export function chatText(messages: readonly ChatMessage[]): string {
  const authors = new Set(messages.map(({ author }) => author))
  const [only] = messages
  if (messages.length === 1 && only && !hasSenders(only, authors)) return only.text
  return messages.map((message) => messageText(message, authors)).join('\n')
}

function messageText({ author, text }: ChatMessage, authors: ReadonlySet<string>): string {
  const [first = '', ...further] = text.split(LINE_BREAK)
  const lines = further.map((line) => {
    if (line.trim() === '') return ''
    // Some readers trim lines. They would take it for the line of that sender.
    return beginsWithSender(line, authors) ? `${author}: ${line.trim()}` : `  ${line}`
  })
  return [`${author}: ${first}`, ...lines].join('\n')
}

function hasSenders({ text }: ChatMessage, authors: ReadonlySet<string>): boolean {
  return text.split(LINE_BREAK).some((line) => beginsWithSender(line, authors) || LIKE_A_SENDER.test(line))
}

function beginsWithSender(line: string, authors: ReadonlySet<string>): boolean {
  const plain = line.replace(MARKS, '')
  return authors.has(plain.slice(0, Math.max(0, plain.indexOf(': '))))
}
