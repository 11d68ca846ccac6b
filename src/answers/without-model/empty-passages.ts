import type { Passage } from './passage.ts'

/** Sentences that only refer to other text, and those of licenses. */
const POINTS_ELSEWHERE =
  /^(?:\(?(?:see|siehe|voir|v[eé]ase)(?: also| auch| aussi)?\b.{0,160}$|for (?:more|further|full|other)\b.{0,80}\b(?:see|refer)\b|(?:next|previous|prev|up|home|top|back to|table of contents|contents|skip to)\b.{0,40}$|note that you$)/i
const LICENSE =
  /\b(?:permission is granted|licen[cs]ed under|copy, distribute|gnu (?:free documentation|general public)|without warranty|all rights reserved|copyright (?:©|\(c\)|\d{4})|invariant sections|redistribut\w+ .{0,40}\bforms?\b|merchantability)/i
/** A row of navigation links. */
const LINKS = /(?: – |; )(?:[^:;]{1,40}: )?(?:home|next|prev|previous|up)(?:;|$)/i
/** A name alone, as below a message. */
const SIGNATURE = /^\p{Lu}\p{Ll}{1,30}(?: \p{Lu}\p{Ll}{1,30})?$/u
/** The greeting above a message. */
const SALUTATION = /^(?:hello|hi|hey|dear|hallo|guten tag|bonjour|hola)\b[^.?]{0,40}[,!]?$/i
/** The headers of an email that name its people and its subject. */
const MAIL_PEOPLE = /^(?:from|to|cc|bcc|reply-to|von|an|subject|betreff): \S/i
const MAIL_DATE = /^(?:date|sent|gesendet): \S/i
/** Box drawings, arrows, and menu separators: pictures and navigation. */
const DRAWN = /[│┌┐└┘├┤─═║╔╗]|(?:-{3,}|={3,})>|\+-{3,}\+|(?:\s[|»›·]\s.{1,24}){3,}/

/** Whether a passage has no information by itself: a reference, a license, a picture, navigation. */
export function saysLittle({ text, kind }: Passage): boolean {
  if (DRAWN.test(text)) return kind !== 'row'
  if (kind === 'row' && LINKS.test(text)) return true
  if (POINTS_ELSEWHERE.test(text) || LICENSE.test(text)) return true
  return kind === 'sentence' && (SIGNATURE.test(text) || SALUTATION.test(text))
}

/** Whether a passage is an email header that lacks the requested person or date. */
export function isMailHeader({ text, kind }: Passage, asks: { person: boolean; date: boolean }): boolean {
  if (kind !== 'sentence') return false
  return (!asks.person && MAIL_PEOPLE.test(text)) || (!asks.date && MAIL_DATE.test(text))
}
