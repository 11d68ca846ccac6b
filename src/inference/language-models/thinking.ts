/** The tags in which models without a reasoning parser write their thoughts, before the answer. */
const TAGS = ['think', 'thinking']

/** Removes the thoughts at the beginning of a model's text as it streams. */
export interface ThinkingFilter {
  /** Returns the text that is part of the answer. Leading blanks may be missing. */
  push(piece: string): string
  end(): string
}

/** A filter for one answer. A tag later in the text is part of the answer, because documents may contain it. */
export function createThinkingFilter(): ThinkingFilter {
  let state: 'start' | 'thinking' | 'answer' = 'start'
  /** A partial tag. */
  let held = ''
  let closing = ''

  const begin = (text: string): string => {
    held = text.trimStart()
    const tag = TAGS.find((name) => held.startsWith(`<${name}>`))
    if (tag !== undefined) {
      state = 'thinking'
      closing = `</${tag}>`
      return think(held)
    }
    if (TAGS.some((name) => `<${name}>`.startsWith(held))) return ''
    state = 'answer'
    return held
  }

  const think = (text: string): string => {
    const end = text.indexOf(closing)
    held = text.slice(1 - closing.length)
    if (end === -1) return ''
    state = 'answer'
    return text.slice(end + closing.length)
  }

  return {
    push(piece) {
      if (state === 'answer') return piece
      return state === 'start' ? begin(held + piece) : think(held + piece)
    },
    end: () => (state === 'start' ? held : ''),
  }
}
