// The form of answer that a question's wording asks for. For the information that a passage must have, see
// answer-types.ts.

const ASKS_WHAT_IT_IS =
  /\bwhat (?:is|are|does|do|was)\b|\bwhat's\b|\bstands? for\b|\bmeans?\b|\bmeant\b|\bdefin\w+|\bwas (?:ist|bedeutet)\b|\bqu'est-ce\b|\bqu[eé] es\b/i

/** Whether a question asks what something is or means, so that a definition answers best. */
export function asksWhatItIs(question: string): boolean {
  return ASKS_WHAT_IT_IS.test(question)
}

const ASKS_FOR_STEPS =
  /\bsteps\b|\bstep\b(?! (?:in|into|down|up|away|back|out|aside)\b)|\bprocedure\b|\breproduce\b|\bschritte?\b|\b[eé]tapes?\b|\bpasos?\b/i

/** Whether a question asks for steps, which are best answered by a whole list. */
export function asksForSteps(question: string): boolean {
  return ASKS_FOR_STEPS.test(question)
}

const ASKS_HOW =
  /\bhow (?:do|can|should|would|must|to)\b|\bwhat (?:should|must|do|shall) (?:i|we|you)\b|\b(?:walk|guide|talk) me through\b|\bwhat(?:'s| is) the (?:process|way|procedure)\b|\bwie (?:kann|mache)\b|\bcomment\b|\bc[oó]mo\b/i

/** Whether a question asks how to do something, which is best answered by numbered steps. */
export function asksHow(question: string): boolean {
  return ASKS_HOW.test(question)
}

const ASKS_FOR_SUMMARY =
  /\b(?:summar(?:y|i[sz]e)|overview of|key points|main points|tl;?dr|zusammenfass\w*|résum(?:e|er|é)\b|resum(?:er|en)\b)/i

export function asksForSummary(question: string): boolean {
  return ASKS_FOR_SUMMARY.test(question)
}

const ASKS_FOR_LIST =
  /\b(?:which|what) (?:[\p{L}-]+ ){1,4}(?:are there|exist|are (?:available|supported|possible|allowed))\b|^(?:list|name|enumerate)\b|\bwhat are (?:all |the )(?:[\p{L}-]+ ){0,3}[\p{L}-]+s\b|\bwelche .{1,60} gibt es\b/iu

/** Whether a question asks for several things, which are best answered by a whole list. */
export function asksForList(question: string): boolean {
  return ASKS_FOR_LIST.test(question)
}

const ASKS_WHO = /\b(?:who|whom|whose|wer|wem|wen|qui|qui[eé]n)\b/iu
const NAMES_PERSON =
  /\b(?:owners?|contacts?|leads?|responsible|managers?|authors?|assignees?|person|people|team|names?|maintainers?|approvers?)\b/i

/** Whether a question asks for a person and the column names people. */
export function namesAsked(question: string, column: string): boolean {
  return ASKS_WHO.test(question) && NAMES_PERSON.test(column)
}

const ASKS_FOR_CODE =
  /\bhow (?:do|can|to|should|would)\b|\bwhat (?:do|should|must|can) (?:i|we|you) (?:type|enter|run|paste|put)\b|\b(?:example|code|snippet|syntax|commands?|install|configure|usage|wie|comment|c[oó]mo)\b/i

export function asksForCode(question: string): boolean {
  return ASKS_FOR_CODE.test(question)
}
