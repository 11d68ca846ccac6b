/** Text as vocabulary numbers: `corpus.ids` in order, including `PARAGRAPH_END` and `OUT_OF_VOCABULARY`. */
export const PARAGRAPH_END = 0xffff_ffff
export const OUT_OF_VOCABULARY = 0xffff_fffe

export interface CoOccurrenceOptions {
  /** Stems on each side that count as neighbors. */
  window: number
  /**
   * Exponent on a stem's probability by chance; below 1 it damps rare stems (Levy et al. 2015, section 3.1).
   */
  smoothing: number
  /** Subtracted from every association: the logarithm of word2vec's number of negative samples. */
  shift: number
}

/** A square sparse matrix by rows: row `r` has its entries at `starts[r]` up to `starts[r + 1]`. */
export interface SparseMatrix {
  size: number
  starts: Float64Array
  columns: Uint32Array
  values: Float32Array
}

const OPTIONS: CoOccurrenceOptions = { window: 8, smoothing: 0.75, shift: 0 }

/** Rows counted at a time; a block of counts is `ROWS_A_BLOCK` × vocabulary floats. */
const ROWS_A_BLOCK = 2048

/**
 * Positive pointwise mutual information of stems near each other within a paragraph, symmetric: max(0,
 * ln(p(a, b) / (p(a) · p(b))) - shift). A pair at distance d weighs (window - d + 1) / window.
 */
export function associate(ids: Uint32Array, size: number, options = OPTIONS): SparseMatrix {
  const totals = new Float64Array(size)
  forEachPair(ids, size, options.window, 0, size, (a, _b, amount) => {
    totals[a] = (totals[a] ?? 0) + amount
  })
  const chance = chances(totals, options.smoothing)
  const all = totals.reduce((sum, total) => sum + total, 0)
  const builder = rowBuilder(size)
  const counts = new Float32Array(ROWS_A_BLOCK * size)
  for (let from = 0; from < size; from += ROWS_A_BLOCK) {
    const to = Math.min(size, from + ROWS_A_BLOCK)
    counts.fill(0)
    forEachPair(ids, size, options.window, from, to, (a, b, amount) => {
      const at = (a - from) * size + b
      counts[at] = (counts[at] ?? 0) + amount
    })
    for (let row = from; row < to; row++) {
      for (let column = 0; column < size; column++) {
        const count = counts[(row - from) * size + column] ?? 0
        if (count === 0) continue
        const association =
          Math.log(count / (all * (chance[row] ?? 1) * (chance[column] ?? 1))) - options.shift
        if (association > 0) builder.add(column, association)
      }
      builder.endRow()
    }
  }
  return builder.finish()
}

/** Calls `visit` with both orders of every pair of known stems in a window whose first stem is in [from, to). */
function forEachPair(
  ids: Uint32Array,
  size: number,
  window: number,
  from: number,
  to: number,
  visit: (a: number, b: number, amount: number) => void,
): void {
  for (let at = 0; at < ids.length; at++) {
    const a = ids[at] ?? PARAGRAPH_END
    if (a < from || a >= to || a >= size) continue
    for (const step of [-1, 1]) {
      for (let distance = 1; distance <= window; distance++) {
        const b = ids[at + step * distance] ?? PARAGRAPH_END
        if (b === PARAGRAPH_END) break
        if (b < size && b !== a) visit(a, b, (window - distance + 1) / window)
      }
    }
  }
}

function chances(totals: Float64Array, smoothing: number): Float64Array {
  const raised = totals.map((total) => total ** smoothing)
  const sum = raised.reduce((all, one) => all + one, 0)
  return raised.map((one) => one / sum)
}

function rowBuilder(size: number) {
  const starts = new Float64Array(size + 1)
  let columns = new Uint32Array(1 << 22)
  let values = new Float32Array(1 << 22)
  let length = 0
  let row = 0
  return {
    add(column: number, value: number): void {
      if (length === columns.length) {
        columns = grown(columns, new Uint32Array(2 * length))
        values = grown(values, new Float32Array(2 * length))
      }
      columns[length] = column
      values[length++] = value
    },
    endRow(): void {
      starts[++row] = length
    },
    finish: (): SparseMatrix => ({
      size,
      starts,
      columns: columns.subarray(0, length),
      values: values.subarray(0, length),
    }),
  }
}

function grown<T extends Uint32Array | Float32Array>(from: T, to: T): T {
  to.set(from)
  return to
}
