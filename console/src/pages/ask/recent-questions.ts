import { useState } from 'react'

const KEPT = 8

/**
 * What was asked in this tab, the latest first. It is gone with the tab, and the service knows nothing of it.
 * @param organizationId the workspace that it was asked in; another one's questions are not shown
 */
export function useRecentQuestions(organizationId: string) {
  const key = `memory-console.questions.${organizationId}`
  const [questions, setQuestions] = useState(() => read(key))
  const keep = (kept: readonly string[]): void => {
    setQuestions(kept)
    write(key, kept)
  }
  return {
    questions,
    remember: (question: string) =>
      keep([question, ...questions.filter((asked) => asked !== question)].slice(0, KEPT)),
    forget: () => keep([]),
  }
}

function read(key: string): readonly string[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]')
    return Array.isArray(stored)
      ? stored.filter((question) => typeof question === 'string').slice(0, KEPT)
      : []
  } catch {
    return []
  }
}

/** Storage may be switched off or full; then the questions last as long as the page. */
function write(key: string, questions: readonly string[]): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(questions))
  } catch {
    // Nothing depends on it.
  }
}
