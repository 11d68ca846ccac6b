import type { Pausable } from '../kernel/cooperative.ts'

const VERBS =
  'wrote|schrieb|a écrit|escribió|ha scritto|schreef|escreveu|skrev|napisał(?:a|\\(a\\))?|napsal(?:a|\\(a\\))?|kirjoitti|írta|написала?|пишет|yazdı|έγραψε'
// "On <date>, <name> wrote:" and "<name> <address> schrieb am <date>:" in the languages of mail programs. Matches at
// the end of a line, with up to 80 characters after the verb.
const ATTRIBUTION = new RegExp(
  `(?<!\\p{L})(?:(?:${VERBS})(?!\\p{L})[^.!?]{0,80}|写道|寫道|작성)\\s?[:：]$`,
  'u',
)
const BEFORE_VERB = { least: 3, most: 280 }
const ATTRIBUTION_END_CHARACTERS = 100
// How such a line begins. Without it, the line above a wrapped one would count as its first half.
const ATTRIBUTION_START =
  /^(?:On|Am|Le|El|Il|Op|Em|Den|Dnia|W dniu|Dne|Na|\d|\p{L}{2,4}(?:[.,] | \d)|["\p{L}][^<]{0,80}<[^>\s]{1,120}@)/u
const TIME_OR_ADDRESS = /@|\d{1,2}[:.h]\s?\d{2}/
const ORIGINAL_MESSAGE =
  /^-{2,}\s*(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original|Messaggio originale|Oorspronkelijk bericht|Mensagem original)\s*-{2,}$/i
const FORWARDED =
  /^(?:-{2,}\s*(?:Forwarded message|Weitergeleitete Nachricht|Message transféré|Mensaje reenviado|Messaggio inoltrato|Doorgestuurd bericht|Mensagem encaminhada|Przekazana wiadomość)\s*-{2,}|(?:Begin forwarded message|Anfang der weitergeleiteten Nachricht|Début du message transféré|Inicio del mensaje reenviado|Inizio messaggio inoltrato)\s?:)$/i
// Outlook's block above a quote: From, then before the next blank line Sent or Date, and Subject. All three are
// required, since an author may write "From: Paris, To: Rome, Date: Monday". French puts a space before the colon.
const FROM = /^\*?(?:From|Von|De|Da|Van|Od|Från|Fra)\s?:\*? ./i
const SENT =
  /^\*?(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|Inviato|Verzonden|Fecha|Data|Wysłano|Skickat|Sendt)\s?:\*? ./i
const SUBJECT = /^\*?(?:Subject|Betreff|Objet|Asunto|Oggetto|Onderwerp|Assunto|Temat|Ämne|Emne)\s?:\*? ?/i
const HEADER_LINES = 12
const RULE = /^(?:_{5,}|-{20,})$/

// Longer lines are prose; skip the patterns.
const MARK_CHARACTERS_MAX = 400
const LINES_A_PAUSE = 200
const CHARACTERS_A_PAUSE = 65_536

/** A reply's own text, without quotes of earlier mails, which are stored themselves. A mail never becomes empty. */
export function* withoutQuotedText(texts: readonly string[]): Pausable<string> {
  const own: string[] = []
  for (const text of texts) {
    const words = yield* ownWords(text)
    if (words !== '') own.push(words)
  }
  return own.length > 0 ? own.join('\n\n') : texts.join('\n\n').trim()
}

function* ownWords(text: string): Pausable<string> {
  const lines = yield* linesOf(text)
  const kept: string[] = []
  let isForwarded = false
  for (let index = 0; index < lines.length; index += 1) {
    if (index % LINES_A_PAUSE === 0) yield
    const line = isForwarded ? '' : markOf(lines[index])
    isForwarded ||= FORWARDED.test(line)
    if (isForwarded) {
      keep(kept, lines[index])
      continue
    }
    if (ORIGINAL_MESSAGE.test(line) || isOutlookHeader(lines, index)) {
      dropRule(kept)
      break
    }
    const attribution = attributionAt(lines, index)
    if (attribution > 0) {
      index += attribution - 1
      // Without quote marks the end of the quote is unknown; usually it is the end of the text.
      if (!isQuotedNext(lines, index + 1)) break
    } else if (!isQuoted(lines[index])) keep(kept, lines[index])
  }
  return yield* joinLines(kept)
}

/** Collapses consecutive empty lines into one. */
function keep(kept: string[], line = ''): void {
  if (line !== '' || kept.at(-1) !== '') kept.push(line)
}

/** The lines of a text; LF, CRLF or CR ends a line. */
function* linesOf(text: string): Pausable<string[]> {
  const lines: string[] = []
  let unfinished = ''
  for (let from = 0; from < text.length;) {
    yield
    let to = from + CHARACTERS_A_PAUSE
    if (text[to - 1] === '\r' && text[to] === '\n') to += 1
    for (const [index, part] of text
      .slice(from, to)
      .split(/\r\n|\r|\n/)
      .entries()) {
      if (index > 0) {
        lines.push(unfinished)
        unfinished = ''
      }
      unfinished += part
    }
    from = to
  }
  lines.push(unfinished)
  return lines
}

function* joinLines(lines: readonly string[]): Pausable<string> {
  const parts: string[] = []
  for (let from = 0; from < lines.length; from += LINES_A_PAUSE) {
    yield
    parts.push(lines.slice(from, from + LINES_A_PAUSE).join('\n'))
  }
  return parts.join('\n').trim()
}

function markOf(line: string | undefined): string {
  return line === undefined || line.length > MARK_CHARACTERS_MAX ? '' : line.trim()
}

const isQuoted = (line: string | undefined) => line?.trimStart().startsWith('>') ?? false

/** The number of lines of the attribution that begins here (long ones wrap); 0 when there is none. */
function attributionAt(lines: readonly string[], index: number): number {
  const count = attributionLines(lines, index)
  // If two lines could begin it, the later one does.
  return count > 1 && attributionLines(lines, index + 1) > 0 ? 0 : count
}

function attributionLines(lines: readonly string[], index: number): number {
  let joined = ''
  for (let count = 1; count <= 3; count += 1) {
    const next = markOf(lines[index + count - 1])
    if (next === '' || next.startsWith('>')) return 0
    joined = joined === '' ? next : `${joined} ${next}`
    if (joined.length > MARK_CHARACTERS_MAX) return 0
    if (isAttribution(joined, isQuotedNext(lines, index + count))) return count
  }
  return 0
}

/** Above marked quotes a line that names the author suffices; elsewhere it must also have a date or an address. */
function isAttribution(line: string, isQuoteMarked: boolean): boolean {
  if (!/[:：]$/.test(line)) return false
  if (isQuoteMarked && line.includes('@') && /\d/.test(line) && ATTRIBUTION_START.test(line)) return true
  if (!isQuoteMarked && !TIME_OR_ADDRESS.test(line)) return false
  return ATTRIBUTION_START.test(line) && saysWhoWrote(line)
}

function saysWhoWrote(line: string): boolean {
  const from = Math.max(0, line.length - ATTRIBUTION_END_CHARACTERS)
  const verb = ATTRIBUTION.exec(line.slice(from))
  if (verb === null) return false
  const before = from + verb.index
  return before >= BEFORE_VERB.least && before <= BEFORE_VERB.most
}

function isQuotedNext(lines: readonly string[], index: number): boolean {
  return isQuoted(lines.slice(index, index + 4).find((line) => line.trim() !== ''))
}

function isOutlookHeader(lines: readonly string[], index: number): boolean {
  if (!FROM.test(markOf(lines[index]))) return false
  const block: string[] = []
  for (const line of lines.slice(index + 1, index + 1 + HEADER_LINES)) {
    if (line.trim() === '') break
    block.push(markOf(line))
  }
  return block.some((line) => SENT.test(line)) && block.some((line) => SUBJECT.test(line))
}

/** The rule that Outlook draws above the header of a quote. */
function dropRule(kept: string[]): void {
  while (kept.length > 0 && kept.at(-1)?.trim() === '') kept.pop()
  if (RULE.test(markOf(kept.at(-1)))) kept.pop()
}

const FORWARD_PREFIX = /^\s*(?:fwd?|wg|tr|rv|i|enc|doorst|vl|vb|vs|pd|ilt|转发|轉寄|전달|転送)\s?[:：]/i
const REPLY_PREFIX =
  /^\s*(?:re|ré|aw|sv|antw|odp|rif|r|res|ynt|vá|回复|回覆|答复|답장|返信)\s?(?:\[\d{1,3}\]|\(\d{1,3}\))?\s?[:：]/i

/** Whether a mail is a reply, whose quotes are stored themselves: an answer (RFC 5322, 3.6.4), and not forwarded. */
export function isReply(subject: string, isAnswer: boolean): boolean {
  return !FORWARD_PREFIX.test(subject) && (isAnswer || REPLY_PREFIX.test(subject))
}
