// A line that says who wrote what follows: "On <date>, <name> wrote:", in the languages mail programs have.
const ATTRIBUTION =
  /^(?:On|Am|Le|El|Il|Op|Em|Den|Dnia|W dniu|Dne|Na)\b.{3,280}\b(?:wrote|schrieb|a écrit|escribió|ha scritto|schreef|escreveu|skrev|napisał(?:\(a\))?|napsal(?:\(a\))?)\b.{0,80}:$/
const ORIGINAL_MESSAGE =
  /^-{2,}\s*(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original|Messaggio originale|Oorspronkelijk bericht|Mensagem original)\s*-{2,}$/i
const FORWARDED =
  /^(?:-{2,}\s*(?:Forwarded message|Weitergeleitete Nachricht)\s*-{2,}|Begin forwarded message:)$/i
// Outlook's block above what it quotes: From, then within a few lines Sent or Date, and To or Subject.
const FROM = /^\*?(?:From|Von|De|Da|Van|Od):\*? ./i
const SENT = /^\*?(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|Inviato|Verzonden|Fecha|Data|Wysłano):\*? ./i
const SUBJECT =
  /^\*?(?:To|Subject|An|Betreff|À|Objet|Para|Asunto|Oggetto|A|Aan|Onderwerp|Assunto|Do|Temat):\*? ./i

// Longer lines are prose, and a pattern has no business in them.
const LONGEST_MARK = 400

/**
 * A reply's own words: what it quotes of earlier mails is taken out, since those are stored themselves. What was forwarded
 * stays, it may be stored nowhere else. A text that would lose everything is given back as it is.
 */
export function withoutQuotedText(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, '\n').split('\n')
  const kept: string[] = []
  for (let index = 0; index < lines.length; index += 1) {
    const line = markOf(lines[index])
    if (FORWARDED.test(line)) {
      kept.push(...lines.slice(index))
      break
    }
    if (ORIGINAL_MESSAGE.test(line) || isOutlookHeader(lines, index)) break
    const attribution = attributionAt(lines, index)
    if (attribution > 0) {
      index += attribution - 1
      // Without marks there is no telling where the quote ends: as a rule at the end.
      if (!isQuotedNext(lines, index + 1)) break
    } else if (!line.startsWith('>')) kept.push(lines[index] ?? '')
  }
  const own = kept
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
  return own === '' ? text.trim() : own
}

function markOf(line: string | undefined): string {
  return line === undefined || line.length > LONGEST_MARK ? '' : line.trim()
}

/** How many lines the attribution that begins here takes (long ones are wrapped); 0 when there is none. */
function attributionAt(lines: readonly string[], index: number): number {
  let joined = ''
  for (let count = 1; count <= 3; count += 1) {
    const next = markOf(lines[index + count - 1])
    if (next === '' || next.startsWith('>')) return 0
    joined = joined === '' ? next : `${joined} ${next}`
    if (joined.length <= LONGEST_MARK && ATTRIBUTION.test(joined)) return count
  }
  return 0
}

function isQuotedNext(lines: readonly string[], index: number): boolean {
  const next = lines.slice(index, index + 4).find((line) => line.trim() !== '')
  return next?.trimStart().startsWith('>') ?? false
}

function isOutlookHeader(lines: readonly string[], index: number): boolean {
  if (!FROM.test(markOf(lines[index]))) return false
  const block = lines.slice(index + 1, index + 7).map(markOf)
  return block.some((line) => SENT.test(line)) && block.some((line) => SUBJECT.test(line))
}
