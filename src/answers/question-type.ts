/**
 * What a question asks for and how a passage shows that it has it, by the surface of both. A question can ask for
 * several things. Passages that have none of them are not ruled out, they only come later.
 */
interface AnswerType {
  question: RegExp
  passage: RegExp
}

const NUMBER_WORDS =
  'one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|hundred|thousand|half|once|twice|unlimited'
const MONTHS =
  'january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday'
const PERIODS =
  'daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|hours?|days?|weeks?|months?|years?|quarters?'

const ANSWER_TYPES: readonly AnswerType[] = [
  {
    question:
      /\bhow (?:many|much|long|often|old|large|big|far|fast)\b|\b(?:maximum|minimum|limit|percentage|number of|amount|price|cost|allowance)\b|\b(?:wie ?viele?|wie lange|wie oft|combien|cu[aá]nt[oa]s?|quant[ie])\b/i,
    passage: new RegExp(`\\d|\\b(?:${NUMBER_WORDS})\\b`, 'i'),
  },
  {
    question:
      /\b(?:when|deadline|what (?:time|date|day|year|month)|how (?:long|often)|wann|quand|cu[aá]ndo)\b/i,
    passage: new RegExp(`\\d|\\b(?:${MONTHS}|${PERIODS})\\b`, 'i'),
  },
  {
    question: /\b(?:who|whom|whose|wer|wem|wen|qui[eé]n)\b/i,
    passage:
      /@|[^.\s]\s\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+|\b(?:team|manager|director|owner|lead|head|officer|vp|ceo|cto|cfo)\b/u,
  },
  {
    question: /\bwhere\b|\b(?:wo|wohin|o[uù]|d[oó]nde)\b/i,
    passage: /https?:|[/#]\w|`|\b(?:in|at|on|under) \p{Lu}/u,
  },
  { question: /\bchannels?\b/i, passage: /#\w/ },
  { question: /\be-?mails?\b|\baddress\b/i, passage: /\S@\S/ },
  { question: /\bprefix|\bcommands?\b|\bsyntax\b|\bflag\b|\boption\b|\bsetting\b/i, passage: /`|#\w|--\w/ },
  {
    question:
      /\bhow (?:do|can|to|should|would)\b|\bsteps?\b|\bwie (?:kann|mache?)\b|\bcomment\b|\bc[oó]mo\b/i,
    passage: /^(?:to |if |use |go |click |open |run |add |create |select |set |choose |you |please )|`/i,
  },
  {
    question: /\bwhy\b|\breason\b|\bwarum\b|\bpourquoi\b|\bpor qu[eé]\b/i,
    passage: /\b(?:because|since|so that|due to|in order to|reason|weil|damit|parce que|porque)\b/i,
  },
]

/** How a question's passages are told: the share of what it asks for that a passage seems to have, 0 to 1. */
export function expectAnswer(question: string): (passage: string) => number {
  const asked = ANSWER_TYPES.filter((type) => type.question.test(question))
  if (asked.length === 0) return () => 0
  return (passage) => asked.filter((type) => type.passage.test(passage)).length / asked.length
}

const ASKS_FOR_CODE =
  /\bhow (?:do|can|to|should|would)\b|\b(?:example|code|snippet|syntax|commands?|install|configure|usage|wie|comment|c[oó]mo)\b/i

/** Whether a code block can be what a question asks for. */
export function asksForCode(question: string): boolean {
  return ASKS_FOR_CODE.test(question)
}
