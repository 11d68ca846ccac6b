let pending: string | null = null

/** Lets the page Ask ask this as soon as it opens: a click elsewhere wanted it. An address alone asks nothing. */
export function leaveQuestion(question: string): void {
  pending = question
}

/** The question that was left, once. */
export function takeQuestion(): string | null {
  const taken = pending
  pending = null
  return taken
}
