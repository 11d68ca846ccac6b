/**
 * What a question asks for and how a passage shows that it has it, by the surface of both. A question can ask for
 * several things. Passages that have none of them are not ruled out, they only come later.
 */
interface AnswerType {
  question: RegExp
  passage: RegExp
  /** What a passage that has it gains over one that has not, as a share; that of most types unless given. */
  gain?: number
}

const GAIN = 0.3

const NUMBER_WORDS =
  'one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|hundred|thousand|half|once|twice|unlimited'
const MONTHS =
  'january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday'
const PERIODS =
  'daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|hours?|days?|weeks?|months?|years?|quarters?'

const ANSWER_TYPES: readonly AnswerType[] = [
  {
    question: /\bdefaults?\b/i,
    // The value has to stand behind the word: "non-default values" and "the default method" tell none.
    passage:
      /(?<!non-)\bdefault(?:s|ing)?(?: [\p{L}]{1,20}){0,2}(?: (?:is|are|to|of)\b|[:=,)]| [–(])|\bby default\b|\bdefault$/iu,
    // Without that word a number may be anything.
    gain: 1,
  },
  {
    question: /\bunless\b|\bwhen (?:nothing|none) is\b|\bif (?:not|none|nothing)\b/i,
    passage: /\bdefault(?:s|ing)?\b|\bunless\b|\bif (?:not|none|unset|omitted)\b|\bnormally\b/i,
    gain: 1,
  },
  {
    question: /\bdifferen(?:ce|t)\b|\bdiffers?\b|\bcompared?\b|\bversus\b|\bvs\b/i,
    passage:
      /\b(?:whereas|while|unlike|in contrast|instead|differs?|difference|rather than|but|however|same)\b/i,
  },
  {
    question: /^(?:can|could|may|does|do|is|are|should|must|will|has|have)\b/i,
    passage: /\b(?:can|cannot|may|must|allowed|permitted|possible|supports?|yes|no|not|only|never|always)\b/i,
  },
  { question: /\bports?\b/i, passage: /\b\d{2,5}\b/ },
  { question: /\bversions?\b|\brelease\b/i, passage: /\d\.\d/ },
  { question: /\bpercent\w*|\brate\b/i, passage: /%|\bpercent/i },
  { question: /\bphone\b|\bcall\b/i, passage: /\+?\d[\d ()-]{5,30}\d/ },
  {
    question:
      /\bhow long\b|\bhow (?:fast|quickly|often|soon|many (?:milli)?(?:seconds|minutes|hours|days|weeks|months|years))\b|\btime-?out\b|\binterval\b|\bdelay\b|\bwithin what\b/i,
    passage: new RegExp(
      `\\b(?:\\d|${NUMBER_WORDS})[\\d,.]{0,12}\\s?(?:ms|s|sec|min|h|milli\\w+|seconds?|minutes?|hours?|days?|weeks?|months?|years?|quarters?)\\b|\\b(?:every|for ever|forever|never|unlimited)\\b|\\bdefault\\w*\\W{0,8}(?:is |to |of |value )*\\W{0,3}\\d`,
      'i',
    ),
  },
  {
    question:
      /\bhow (?:many|much|long|often|old|large|big|far|fast)\b|\b(?:maximum|minimum|limit|percentage|number of|amount|price|cost|allowance)\b|\b(?:wie ?viele?|wie lange|wie oft|combien|cu[aá]nt[oa]s?|quant[ie])\b/i,
    passage: new RegExp(`\\d|\\b(?:${NUMBER_WORDS})\\b`, 'i'),
    gain: 0.7,
  },
  {
    question:
      /\b(?:when|deadline|what (?:time|date|day|year|month)|how (?:long|often)|wann|quand|cu[aá]ndo)\b/i,
    passage: new RegExp(`\\d|\\b(?:${MONTHS}|${PERIODS})\\b`, 'i'),
  },
  {
    question: /\b(?:who|whom|whose|wer|wem|wen|qui[eé]n)\b/i,
    passage:
      /@|[^.\s]\s\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+|(?:\b(?:by|from|with|ask|contact|call|tell|is|are)|:) \p{Lu}\p{Ll}|\b(?:team|manager|director|owner|lead|head|officer|vp|ceo|cto|cfo)\b/u,
  },
  {
    question: /\bwhere\b|\b(?:wo|wohin|o[uù]|d[oó]nde)\b/i,
    passage: /https?:|[/#]\w|`|\b(?:in|at|on|under) \p{Lu}/u,
  },
  { question: /\bchannels?\b/i, passage: /#\w/ },
  { question: /\be-?mails?\b|\baddress\b/i, passage: /\S@\S/ },
  {
    question:
      /\bprefix|\bsyntax\b|\b(?:which|what|name of the) (?:\w+ )?(?:commands?|flag|option|setting|parameter|directive|function|file|module|tool|variable|extension)\b/i,
    passage: /`|#\w|(?<!\w)--?\w|\w[_/]\w|\p{Ll}\p{Lu}|\w\(\d?\)|\b\p{L}+ command\b/u,
  },
  {
    question:
      /\bhow (?:do|can|to|should|would)\b|\bsteps?\b|\bwie (?:kann|mache?)\b|\bcomment\b|\bc[oó]mo\b/i,
    passage:
      /^(?:to |if you|use |go |click |open |run |add |create |select |set |choose |you |please )|`|\byou can\b|\b(?:using|run|use|with) (?:the )?[\w.-]{2,30}\b|(?<!\w)--\w/i,
  },
  {
    question: /\bwhy\b|\breason\b|\bwarum\b|\bpourquoi\b|\bpor qu[eé]\b/i,
    passage: /\b(?:because|since|so that|due to|in order to|reason|weil|damit|parce que|porque)\b/i,
  },
]

/** Of a question that is all numbers only so many are looked for in every passage. */
const QUESTION_NUMBERS_MAX = 8

/**
 * How a question's passages are told: what a passage gains by seeming to have what is asked for, as a share of its worth, 0
 * or more. The numbers of the question itself are no answer to it.
 */
export function expectAnswer(question: string): (passage: string) => number {
  const asked = ANSWER_TYPES.filter((type) => type.question.test(question))
  if (asked.length === 0) return () => 0
  const numbers = (question.match(/\d+(?:[.,:]\d+)*/g) ?? []).slice(0, QUESTION_NUMBERS_MAX)
  return (passage) => {
    let said = passage
    for (const number of numbers) said = said.replaceAll(number, '')
    const gains = asked.map(({ passage: has, gain = GAIN }) => (has.test(said) ? gain : 0))
    return gains.reduce((sum, gain) => sum + gain, 0) / asked.length
  }
}

const ASKS_WHAT_IT_IS =
  /\bwhat (?:is|are|does|do|was)\b|\bwhat's\b|\bstands? for\b|\bmeans?\b|\bmeant\b|\bdefin\w+|\bwas (?:ist|bedeutet)\b|\bqu'est-ce\b|\bqu[eé] es\b/i

/** Whether a question asks what something is or means, so that what begins with it answers best. */
export function asksWhatItIs(question: string): boolean {
  return ASKS_WHAT_IT_IS.test(question)
}

const ASKS_FOR_STEPS =
  /\bsteps?\b|\bprocedure\b|\breproduce\b|\bstep by step\b|\bschritte?\b|\b[eé]tapes?\b|\bpasos?\b/i

/** Whether a question asks for the steps of something, so that a whole list answers best. */
export function asksForSteps(question: string): boolean {
  return ASKS_FOR_STEPS.test(question)
}

const ASKS_FOR_LIST =
  /\b(?:which|what) (?:[\p{L}-]+ ){1,4}(?:are there|exist|are (?:available|supported|possible|allowed))\b|^(?:list|name|enumerate)\b|\bwhat are (?:all |the )(?:[\p{L}-]+ ){0,3}[\p{L}-]+s\b|\bwelche .{1,60} gibt es\b/iu

/** Whether a question asks for all of several things, so that a whole list answers best. */
export function asksForList(question: string): boolean {
  return ASKS_FOR_LIST.test(question)
}

const ASKS_WHO = /\b(?:who|whom|whose|wer|wem|wen|qui|qui[eé]n)\b/iu
const NAMES_PERSON =
  /\b(?:owners?|contacts?|leads?|responsible|managers?|authors?|assignees?|person|people|team|names?|maintainers?|approvers?)\b/i

/** Whether a column has who is asked for. */
export function namesAsked(question: string, column: string): boolean {
  return ASKS_WHO.test(question) && NAMES_PERSON.test(column)
}

const ASKS_FOR_CODE =
  /\bhow (?:do|can|to|should|would)\b|\b(?:example|code|snippet|syntax|commands?|install|configure|usage|wie|comment|c[oó]mo)\b/i

/** Whether a code block can be what a question asks for. */
export function asksForCode(question: string): boolean {
  return ASKS_FOR_CODE.test(question)
}

const OVER_TLS = /(?<![\p{L}\d])([\p{L}\d]{2,12}) over (?:ssl|tls)(?![\p{L}\d])/giu

/** A question with the names that protocols have over TLS beside what it calls them: "IMAP over SSL" is IMAPS. */
export function withEncryptedNames(question: string): string {
  const names = [...question.matchAll(OVER_TLS)].map(([, name = '']) => `${name.toUpperCase()}S`)
  return [question, ...names].join(' ')
}
