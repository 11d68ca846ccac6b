/** The classes of information in a passage, by name (`chooser-weights.json`). Patterns have bounds. */
const TOKEN_CLASSES: readonly (readonly [name: string, has: Pick<RegExp, 'test'>])[] = [
  ['number', /(?<![\w.])\d/],
  [
    'unit',
    /\b(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|sixty|hundred)[ -]?(?:ms|s|sec|min|h|milliseconds?|microseconds?|seconds?|minutes?|hours?|(?:working |business |calendar )?days?|weeks?|months?|years?|quarters?|nights?)\b/i,
  ],
  [
    'size',
    /\b\d[\d,.]*[ -]?(?:[kmgt]i?b|[kmg]|bytes?|bits?|characters?|pixels?|px|mm|cm|m|km|kg|g|lines?|rows?|items?|entries|requests?|users?|times?|connections?)\b/i,
  ],
  ['percent', /\d\s?%|\bpercent\b/i],
  ['money', /[€$£¥]\s?\d|\b\d[\d,.]*\s?(?:EUR|USD|CHF|GBP|euros?|dollars?|francs?|cents?)\b/i],
  [
    'numberWord',
    /\b(?:one|two|three|four|five|six|seven|eight|nine|ten|half|once|twice|unlimited|no limit|zero|none)\b/i,
  ],
  [
    'date',
    /\b(?:19|20)\d\d\b|\b(?:january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/i,
  ],
  ['clock', /\b\d{1,2}:\d\d\b|\b\d{1,2} ?(?:am|pm)\b/i],
  ['period', /\b(?:daily|weekly|monthly|quarterly|yearly|annually|every|each|hourly)\b/i],
  [
    'path',
    /(?<![\w/])(?:~|\.{0,2})\/[\w.-]+|\b\w+\.(?:conf|cfg|ini|ya?ml|json|toml|txt|log|sh|py|js|ts|db|xml|html|md)\b/,
  ],
  ['option', /(?<![\w-])--?[a-zA-Z][\w-]*/],
  ['envvar', /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/],
  ['snake', /\b[a-z]+(?:_[a-z0-9]+)+\b/],
  ['camel', /\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*/],
  ['dotted', /\b[a-z]+(?:\.[a-z]+){1,4}\b/i],
  ['call', /\b\w+\(\)?/],
  ['code', /`/],
  ['quoted', /["“”«»]|(?<!\w)'[^']{1,40}'/],
  ['assign', /\w\s?=\s?\S/],
  ['url', /https?:\/\/|\bwww\./],
  ['email', /\S@\S+\.\w/],
  ['channel', /(?<!\w)[#@]\w/],
  ['ip', /\b\d{1,3}(?:\.\d{1,3}){3}\b|::/],
  ['version', /\bv?\d+\.\d+(?:\.\d+)?\b/],
  ['acronym', /\b[A-Z]{2,}\b/],
  ['name', /[^.!?\s]\s\p{Lu}\p{Ll}+/u],
  ['fullName', /\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+/u],
  [
    'role',
    /\b(?:team|manager|director|owner|lead|head|officer|administrators?|maintainers?|department|office)\b/i,
  ],
  ['startsName', /^\p{Lu}\p{Ll}+ \p{Lu}/u],
  ['negation', /\b(?:not|no|never|cannot|can't|don't|doesn't|won't|without|none|nor|neither)\b/i],
  [
    'modal',
    /\b(?:must|should|shall|may|might|can|could|need to|required?|has to|have to|allowed|permitted|forbidden|supported|possible)\b/i,
  ],
  [
    'isA',
    /^(?:the |an? )?(?:\S+ ){1,6}(?:is|are|means|refers to|stands for|specifies|defines|describes|provides|controls) /i,
  ],
  ['dash', / [–—-] /],
  [
    'cause',
    /\b(?:because|since|so that|due to|in order to|as a result|therefore|otherwise|reason|to avoid|to prevent|this (?:means|allows|is because))\b/i,
  ],
  ['condition', /\b(?:if|when|unless|whenever|while|once|after|before|until)\b/i],
  [
    'contrast',
    /\b(?:but|however|whereas|unlike|instead|rather than|while|although|than|differs?|difference)\b/i,
  ],
  ['default', /\bdefaults?\b/i],
  ['defaultIs', /\bdefault(?:s|ed)?(?: [\p{L}]{1,20}){0,2}(?: (?:is|are|to)\b|[:=,)])|\bby default\b/iu],
  [
    'imperative',
    /^(?:use|run|go|click|open|add|create|select|set|choose|put|press|call|write|send|start|stop|make|turn|replace|type|enter|install|specify|see|edit|enable|disable|remove|first|then|to \w+)\b/i,
  ],
  [
    'youCan',
    /\byou (?:can|may|should|must|need)\b|\bcan be \w+ed\b|\bis used to\b|\buse(?:d|s)? (?:the|to)\b|\busing\b/i,
  ],
  ['colonEnd', /:$/],
  ['question', /\?$/],
  ['pronoun', /^(?:it|its|this|that|these|those|they|there|such|he|she)\b/i],
  ['list', { test: isList }],
  ['paren', /\(/],
  ['example', /\b(?:for example|for instance|e\.g\.|such as|example)\b/i],
  ['see', /\bsee (?:also |the |below|above)?|\brefer to\b/i],
  [
    'history',
    /\b(?:was|were|added|removed|changed|since|version|deprecated|renamed|fixed|introduced|no longer)\b/i,
  ],
  [
    'limit',
    /\b(?:maximum|minimum|max|min|at most|at least|up to|limit|limited|no more than|less than|more than|between)\b/i,
  ],
  [
    'result',
    /\b(?:then|returns?|fails?|raises?|stops?|exits?|results?|causes?|will be|is (?:then )?\w+ed)\b/i,
  ],
]

/** Whether a text lists four items with commas, or three with "and" or "or". A pattern would take quadratic time. */
function isList(text: string): boolean {
  const parts = text.split(',')
  const isJoined = parts.some(
    (part, at) => part !== '' && isItem(parts[at + 1]) && /^ .* (?:and|or) /s.test(parts[at + 2] ?? ''),
  )
  if (isJoined) return true
  return text
    .split(/[,;]/)
    .some(
      (part, at, all) =>
        part !== '' && isItem(all[at + 1]) && isItem(all[at + 2]) && all[at + 3]?.startsWith(' ') === true,
    )
}

function isItem(part = ''): boolean {
  return part.startsWith(' ') && part.length > 1
}

export function tokenClassesOf(text: string): string[] {
  return TOKEN_CLASSES.flatMap(([name, has]) => (has.test(text) ? [name] : []))
}
