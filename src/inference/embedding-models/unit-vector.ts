/** `values` at unit length, as 32-bit floats; null if any is not finite or all are zero. */
export function unitVector(values: ArrayLike<number>): Float32Array | null {
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += (values[i] ?? 0) ** 2
  if (!Number.isFinite(squares) || squares === 0) return null
  const length = Math.sqrt(squares)
  return Float32Array.from(values, (value) => value / length)
}

/** The text that a general embedding model gets for a document: the title on a line of its own, then the text. */
export function titledText(document: { title: string; text: string }): string {
  return document.title === '' ? document.text : `${document.title}\n\n${document.text}`
}
