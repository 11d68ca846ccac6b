let pending: string | null = null

/** Stores a question that the Ask page sends when it opens. A URL alone never sends one, because only a click may. */
export function leaveQuestion(question: string): void {
  pending = question
}

/** Returns the stored question and clears it. */
export function takeQuestion(): string | null {
  const taken = pending
  pending = null
  return taken
}
