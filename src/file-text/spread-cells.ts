/** A cell and how many columns and rows it spans. */
export interface SpanningCell {
  text: string
  colspan: number
  rowspan: number
}

/** Wider spans are layout or hostile. */
const COLUMNS_MAX = 100
/** Of one cell, and of a whole table. */
const REPEATED_CHARACTERS_MAX = 100
const ALL_REPEATED_CHARACTERS_MAX = 100_000

/** The texts of a table by row and column: a cell over several rows is in each, over several columns in the first. */
export function spreadCells(rows: readonly (readonly SpanningCell[])[]): string[][] {
  /** By column, the text from above and in how many further rows it is. */
  const above: { text: string; rows: number }[] = []
  let characters = 0
  return rows.map((row) => {
    const texts: string[] = []
    const fillFromAbove = (): void => {
      for (
        let spanning = above[texts.length];
        spanning && spanning.rows > 0;
        spanning = above[texts.length]
      ) {
        spanning.rows -= 1
        characters += spanning.text.length
        texts.push(characters > ALL_REPEATED_CHARACTERS_MAX ? '' : spanning.text)
      }
    }
    for (const { text, colspan, rowspan } of row) {
      fillFromAbove()
      const from = texts.length
      const end = Math.max(from + 1, Math.min(from + colspan, COLUMNS_MAX))
      const repeated = text.length > REPEATED_CHARACTERS_MAX ? '' : text
      for (let column = from; column < end; column += 1) {
        texts.push(column === from ? text : '')
        if (column < COLUMNS_MAX) above[column] = { text: column === from ? repeated : '', rows: rowspan - 1 }
      }
    }
    fillFromAbove()
    return texts
  })
}
