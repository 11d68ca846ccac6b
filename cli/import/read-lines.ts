interface Line {
  /** From 1. */
  number: number
  text: string
}

/** The lines of a text in pieces, without blank ones. Holds one line at a time. */
export async function* readLines(pieces: AsyncIterable<string>): AsyncGenerator<Line> {
  let held: string[] = []
  let number = 1
  for await (const piece of pieces) {
    let from = 0
    for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', from)) {
      const text = held.join('') + piece.slice(from, end)
      if (text.trim() !== '') yield { number, text }
      number++
      held = []
      from = end + 1
    }
    held.push(piece.slice(from))
  }
  const text = held.join('')
  if (text.trim() !== '') yield { number, text }
}
