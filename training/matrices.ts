/**
 * `result[i, j]` is the dot product of row `i` of `a` and row `j` of `b`, four rows at a time to save memory
 * traffic.
 */
export function products(
  a: Float64Array,
  rowsA: number,
  b: Float64Array,
  rowsB: number,
  length: number,
  result: Float64Array,
): void {
  for (let i = 0; i < rowsA; i += 4) {
    const a0 = i * length
    const a1 = a0 + length
    const a2 = a1 + length
    const a3 = a2 + length
    for (let j = 0; j < rowsB; j += 2) {
      const b0 = j * length
      const b1 = b0 + length
      let s00 = 0,
        s01 = 0,
        s10 = 0,
        s11 = 0,
        s20 = 0,
        s21 = 0,
        s30 = 0,
        s31 = 0
      for (let k = 0; k < length; k++) {
        const y0 = b[b0 + k] ?? 0
        const y1 = b[b1 + k] ?? 0
        const x0 = a[a0 + k] ?? 0
        const x1 = a[a1 + k] ?? 0
        const x2 = a[a2 + k] ?? 0
        const x3 = a[a3 + k] ?? 0
        s00 += x0 * y0
        s01 += x0 * y1
        s10 += x1 * y0
        s11 += x1 * y1
        s20 += x2 * y0
        s21 += x2 * y1
        s30 += x3 * y0
        s31 += x3 * y1
      }
      const at = i * rowsB + j
      result[at] = s00
      result[at + 1] = s01
      result[at + rowsB] = s10
      result[at + rowsB + 1] = s11
      result[at + 2 * rowsB] = s20
      result[at + 2 * rowsB + 1] = s21
      result[at + 3 * rowsB] = s30
      result[at + 3 * rowsB + 1] = s31
    }
  }
}

export function transpose(from: Float64Array, rows: number, columns: number, to: Float64Array): void {
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++)
      to[column * rows + row] = from[row * columns + column] ?? 0
  }
}

/** Aᵀ·B of two rows × width matrices whose product is symmetric: computes the upper half and mirrors it. */
export function symmetricProduct(
  a: Float64Array,
  b: Float64Array,
  rows: number,
  width: number,
): Float64Array {
  const product = new Float64Array(width * width)
  for (let row = 0; row < rows; row++) {
    const from = row * width
    for (let i = 0; i < width; i++) {
      const left = a[from + i] ?? 0
      const at = i * width
      for (let j = i; j < width; j++) product[at + j] = (product[at + j] ?? 0) + left * (b[from + j] ?? 0)
    }
  }
  for (let i = 0; i < width; i++)
    for (let j = 0; j < i; j++) product[i * width + j] = product[j * width + i] ?? 0
  return product
}

/** All eigenpairs of a symmetric matrix by cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5); vectors in columns. */
export function jacobi(
  symmetric: Float64Array,
  width: number,
): { values: Float64Array; vectors: Float64Array } {
  const a = Float64Array.from(symmetric)
  const vectors = new Float64Array(width * width)
  for (let i = 0; i < width; i++) vectors[i * width + i] = 1
  for (let sweep = 0; sweep < 30 && offDiagonal(a, width) > 1e-20; sweep++) {
    for (let p = 0; p < width - 1; p++) for (let q = p + 1; q < width; q++) rotate(a, vectors, width, p, q)
  }
  return { values: Float64Array.from({ length: width }, (_, i) => a[i * width + i] ?? 0), vectors }
}

/** Share of a matrix's squared norm off the diagonal. */
function offDiagonal(a: Float64Array, width: number): number {
  let off = 0
  let all = 0
  for (let i = 0; i < a.length; i++) {
    const square = (a[i] ?? 0) ** 2
    all += square
    if (i % (width + 1) !== 0) off += square
  }
  return all === 0 ? 0 : off / all
}

function rotate(a: Float64Array, vectors: Float64Array, width: number, p: number, q: number): void {
  const apq = a[p * width + q] ?? 0
  if (apq === 0) return
  const theta = ((a[q * width + q] ?? 0) - (a[p * width + p] ?? 0)) / (2 * apq)
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
  const c = 1 / Math.sqrt(t * t + 1)
  const s = t * c
  for (let k = 0; k < width; k++) turn(a, k * width + p, k * width + q, c, s)
  for (let k = 0; k < width; k++) turn(a, p * width + k, q * width + k, c, s)
  for (let k = 0; k < width; k++) turn(vectors, k * width + p, k * width + q, c, s)
}

function turn(numbers: Float64Array, first: number, second: number, c: number, s: number): void {
  const x = numbers[first] ?? 0
  const y = numbers[second] ?? 0
  numbers[first] = c * x - s * y
  numbers[second] = s * x + c * y
}

/** Euclidean length. */
export function sizeOf(numbers: Float64Array | Float32Array | Int8Array): number {
  let squares = 0
  for (let i = 0; i < numbers.length; i++) squares += (numbers[i] ?? 0) ** 2
  return Math.sqrt(squares)
}
