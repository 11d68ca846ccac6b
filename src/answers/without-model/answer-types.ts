/** An expected answer type: information that a question asks for and a passage has, both recognized by their wording. */
interface AnswerType {
  question: RegExp
  passage: RegExp
}

const NUMBER_WORDS =
  'one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|hundred|thousand|half|once|twice|unlimited'
const MONTHS =
  'jan(?:uary)?|feb(?:ruary)?|march|april|may \\d|june|july|aug(?:ust)?|sept(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|monday|tuesday|wednesday|thursday|friday|saturday|sunday'
const PERIODS =
  'daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|hours?|days?|weeks?|months?|years?|quarters?|tomorrow|today|tonight|midnight|noon'
const DURATION = new RegExp(
  `\\b(?:\\d|${NUMBER_WORDS})[\\d,.]{0,12}[\\s-]?(?:full |working |business |calendar )?(?:ms|s|sec|min|m|h|d|milli\\w+|seconds?|minutes?|hours?|days?|weeks?|months?|years?|quarters?|nights?)\\b|\\b(?:every|each|for ever|forever|never|always|unlimited|immediately|at once)\\b`,
  'i',
)

export const ANSWER_TYPES = {
  // The word must come before the value: "non-default values" and "the default method" state no default.
  default: {
    question:
      /\bdefaults?\b|\bunless\b|\bwhen (?:nothing|none) is\b|\bif (?:I don't|not|none|nothing|you don't)\b|\bnormally\b|\bout of the box\b/i,
    passage:
      /(?<!non-)\bdefault(?:s|ing)?(?: [\p{L}]{1,20}){0,2}(?: (?:is|are|to|of)\b|[:=,)]| [–(])|\bby default\b|\bdefault\b|\bunless\b|\bif (?:not|none|unset|omitted)\b|\bnormally\b|\botherwise\b/iu,
  },
  duration: {
    question:
      /\bhow (?:long|fast|quickly|often|soon|late|early|frequently|many (?:milli)?(?:seconds|minutes|hours|days|weeks|months|years))\b|\btime-?out\b|\binterval\b|\bdelay\b|\bwithin (?:what|which)\b|\bnotice\b|\buntil when\b|\bwie lange\b|\bcombien de temps\b|\bcu[aá]nto tiempo\b/i,
    passage: DURATION,
  },
  amount: {
    question:
      /\bhow (?:many|much|large|big|far|high|old|hot|warm|loud|noisy|fast|wide|deep|heavy)\b|\b(?:maximum|minimum|max|limit|largest|smallest|biggest|greatest|percentage|percent|number of|amount|share|size|quota|capacity|rate|speed|temperature|threshold|version|port|score|weight|value)\b|\b(?:wie ?viele?|combien|cu[aá]nt[oa]s?|quant[ie])\b/i,
    passage: new RegExp(`\\d|\\b(?:${NUMBER_WORDS}|no limit)\\b`, 'i'),
  },
  money: {
    question:
      /\b(?:price|cost|costs|pay|pays|paid|fee|fees|charge[ds]?|salary|budget|rent|rate|reward|allowance|expensive|expenses|spend|bill|discount|fine|penalty|money|kostet|prix|precio)\b/i,
    passage:
      /[€$£¥]|\b(?:EUR|USD|CHF|GBP|DKK|SEK|NOK|PLN|euros?|dollars?|francs?|cents?)\b|\bfree(?: of charge)?\b|\d\.\d\d\b|\d\s?%/i,
  },
  date: {
    question:
      /\b(?:when|deadline|due|what (?:time|date|day|year|month)|since|by when|wann|quand|cu[aá]ndo)\b/i,
    passage: new RegExp(
      `\\b\\d{1,2}(?::\\d\\d|st\\b|nd\\b|rd\\b|th\\b)|\\b(?:19|20)\\d\\d\\b|\\b(?:${MONTHS}|${PERIODS})\\b`,
      'i',
    ),
  },
  person: {
    question:
      /\b(?:who|whom|whose|wer|wem|wen|qui[eé]n|owner|maintainer|author|contact|manager)\b|\bwhich (?:team|person|company|people)\b/i,
    passage:
      /@|[^.\s]\s\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+|^\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+|(?:\b(?:by|from|with|ask|contact|call|tell|is|are|to|and)|[:(,]) \p{Lu}\p{Ll}|\b(?:team|manager|director|owner|lead|head|officer|vp|ceo|cto|cfo|office|department|administrators?|maintainers?)\b/u,
  },
  place: {
    question: /\bwhere\b|\b(?:in|at|on|under|to|from) (?:which|what)\b|\b(?:wo|wohin|o[uù]|d[oó]nde)\b/i,
    passage: /https?:|[/#~]\w|`|\b(?:in|at|on|under|from|to|into) (?:the )?[`\p{Lu}]|@|›|\b\w+\.\w{2,4}\b/u,
  },
  name: {
    question:
      /\bprefix|\bsyntax\b|\b(?:which|what|name of the) (?:[\w-]+ ){0,3}(?:commands?|flags?|options?|settings?|parameters?|directives?|functions?|methods?|files?|modules?|tools?|variables?|extensions?|programs?|packages?|headers?|fields?|signals?|keys?|algorithms?|utility|statements?|tags?|api)\b/i,
    passage: /`|#\w|(?<!\w)--?\w|\w[_/.]\w|\p{Ll}\p{Lu}|\w\(\d?\)|\b\p{Lu}{2,}\b/u,
  },
  procedure: {
    question:
      /\bhow (?:do|can|to|should|would|is|are|could|must)\b|\bsteps?\b|\bway to\b|\bwhat (?:do|should|can|must|has to) .{0,40}\b(?:do|run|use|call|try)\b|\bwie (?:kann|mache?)\b|\bcomment\b|\bc[oó]mo\b/i,
    passage:
      /^(?:to |if you|use |go |click |open |run |add |create |select |set |choose |you |please |put |press |hold |call |write |send |ask |start |stop |make |turn |replace |type |enter |install |first )|`|\byou can\b|\b(?:using|run|use|with) (?:the )?[\w.-]{2,30}\b|(?<!\w)--\w|\bby \w+ing\b|\bcan be\b|\bin order to\b/i,
  },
  reason: {
    question: /\bwhy\b|\breasons?\b|\bcaused?\b|\bwhat made\b|\bwarum\b|\bpourquoi\b|\bpor qu[eé]\b/i,
    passage:
      /\b(?:because|since|so that|due to|in order to|reason|cause[ds]?|as (?:it|they|the|nobody|there|we)|otherwise|or (?:else|it|they)|too \w+|therefore|weil|damit|parce que|porque)\b/i,
  },
  yesNo: {
    question:
      /^(?:[^?,]{1,80}, )?(?:can|could|may|does|do|is|are|should|must|will|has|have|did|was|were|am)\b(?!.*\bor\b)/i,
    passage:
      /\b(?:can|cannot|can't|may|must|allowed|permitted|forbidden|possible|supports?|supported|yes|no|not|only|never|always|required|without)\b/i,
  },
  difference: {
    question: /\bdifferen(?:ce|t)\b|\bdiffers?\b|\bcompared?\b|\bversus\b|\bvs\b|\bbetter\b|\binstead of\b/i,
    passage:
      /\b(?:whereas|while|unlike|in contrast|instead|differs?|difference|rather than|but|however|same|only)\b/i,
  },
  definition: {
    question:
      /\bwhat (?:is|are|does|do|was)\b|\bwhat's\b|\bstands? for\b|\bmeans?\b|\bmeant\b|\bdefin\w+|\bpurpose\b|\bwas (?:ist|bedeutet)\b|\bqu'est-ce\b|\bqu[eé] es\b/i,
    passage:
      / – |^(?:an?|the)? ?(?:\S+ ){1,6}(?:is|are|means?|stands? for|refers? to|turns?|shows?|does|makes?|collects?|keeps?) /i,
  },
  result: {
    question: /\bwhat happens\b|\bwhat (?:will|would) happen\b|\beffect\b|\bconsequence\b|\bwhat if\b/i,
    passage:
      /\b(?:is|are|will be|gets?|becomes?) \w+(?:ed|en|t|d)\b|\b(?:then|otherwise|afterwards|fails?|returns?|raises?|stops?)\b/i,
  },
} as const satisfies Record<string, AnswerType>

export type AnswerTypeName = keyof typeof ANSWER_TYPES
export const ANSWER_TYPE_NAMES = Object.keys(ANSWER_TYPES) as AnswerTypeName[]

/** Limits the numbers of a question, because each is searched for in every passage. */
const QUESTION_NUMBERS_MAX = 8

export function askedTypes(question: string): AnswerTypeName[] {
  return ANSWER_TYPE_NAMES.filter((name) => ANSWER_TYPES[name].question.test(question))
}

/** Finds which of the requested types a passage contains, ignoring the question's own numbers. */
export function typeReader(
  question: string,
  asked: readonly AnswerTypeName[],
): (passage: string) => ReadonlySet<AnswerTypeName> {
  const numbers = (question.match(/\d+(?:[.,:]\d+)*/g) ?? []).slice(0, QUESTION_NUMBERS_MAX)
  return (passage) => {
    let said = passage
    for (const number of numbers) said = said.replaceAll(number, '')
    return new Set(asked.filter((name) => ANSWER_TYPES[name].passage.test(said)))
  }
}

const COMMAND =
  /`|(?<!\w)--?\w|["“][\w.-]+ [^"”]{1,60}["”]|(?<![\w/])\/\w+\/\w|\w=\w|\b\w+_\w+\b|\b\w+\(\d?\)|\b(?:command|option|directive|setting|parameter)\b/
/** Whether a text contains a command, an option, or a setting. */
export function hasCommand(text: string): boolean {
  return COMMAND.test(text)
}
