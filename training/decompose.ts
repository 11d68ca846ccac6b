import type { SparseMatrix } from './co-occurrence.ts'

export interface Decomposition {
  /** Eigenvalues, largest magnitude first. */
  values: Float64Array
  /** Eigenvectors as rows × `rank` numbers: row `r` belongs to the matrix's row `r`. */
  vectors: Float64Array
}

export interface DecomposeOptions {
  /** Multiplications by the matrix before the last; each improves the weaker directions. */
  rounds: number
  /** Directions beyond `rank`, for accuracy; together they must not exceed the matrix's own rank. */
  extra: number
}

const OPTIONS: DecomposeOptions = { rounds: 3, extra: 16 }
const SEED = 1

/**
 * The `rank` strongest eigenpairs of a symmetric sparse matrix, by randomized subspace iteration (Halko,
 * Martinsson and Tropp, Finding Structure with Randomness, 2011, algorithm 4.4); their magnitudes are its
 * singular values. The same matrix gives the same bits.
 */
export function decompose(matrix: SparseMatrix, rank: number, options = OPTIONS): Decomposition {
  const { rounds, extra } = options
  const width = rank + extra
  let basis = randomMatrix(matrix.size * width, SEED)
  for (let round = 0; round < rounds; round++) {
    basis = multiply(matrix, basis, width)
    orthonormalize(basis, matrix.size, width)
  }
  orthonormalize(basis, matrix.size, width)
  const image = multiply(matrix, basis, width)
  const small = symmetricProduct(basis, image, matrix.size, width)
  const { values, vectors } = jacobi(small, width)
  const order = Array.from(values.keys()).toSorted(
    (a, b) => Math.abs(values[b] ?? 0) - Math.abs(values[a] ?? 0),
  )
  const kept = order.slice(0, rank)
  const rotation = new Float64Array(width * rank)
  for (let i = 0; i < width; i++) {
    for (let k = 0; k < rank; k++) rotation[i * rank + k] = vectors[i * width + (kept[k] ?? 0)] ?? 0
  }
  return {
    values: Float64Array.from(kept, (column) => values[column] ?? 0),
    vectors: rotated(basis, rotation, matrix.size, width, rank),
  }
}

function rotated(
  basis: Float64Array,
  rotation: Float64Array,
  rows: number,
  width: number,
  rank: number,
): Float64Array {
  const result = new Float64Array(rows * rank)
  for (let row = 0; row < rows; row++) {
    const to = row * rank
    for (let i = 0; i < width; i++) {
      const amount = basis[row * width + i] ?? 0
      const from = i * rank
      for (let k = 0; k < rank; k++)
        result[to + k] = (result[to + k] ?? 0) + amount * (rotation[from + k] ?? 0)
    }
  }
  return result
}

/** Numbers in [-1, 1) from Mulberry32: small, and the same everywhere. */
function randomMatrix(length: number, seed: number): Float64Array {
  let state = seed >>> 0
  return Float64Array.from({ length }, () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1
  })
}

function multiply(matrix: SparseMatrix, dense: Float64Array, width: number): Float64Array {
  const { size, starts, columns, values } = matrix
  // Half the memory traffic: the product is memory-bound, and its input needs only single precision.
  const input = Float32Array.from(dense)
  const result = new Float64Array(size * width)
  const sum = new Float64Array(width)
  for (let row = 0; row < size; row++) {
    sum.fill(0)
    const end = starts[row + 1] ?? 0
    for (let entry = starts[row] ?? 0; entry < end; entry++) {
      const value = values[entry] ?? 0
      const from = (columns[entry] ?? 0) * width
      for (let i = 0; i < width; i++) sum[i] = (sum[i] ?? 0) + value * (input[from + i] ?? 0)
    }
    result.set(sum, row * width)
  }
  return result
}

/** Aᵀ·B of two rows × width matrices whose product is symmetric: computes the upper half and mirrors it. */
function symmetricProduct(a: Float64Array, b: Float64Array, rows: number, width: number): Float64Array {
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

/**
 * Orthonormalizes the columns in place with the Cholesky factor of their products; doing it twice is as good
 * as Householder.
 */
function orthonormalize(basis: Float64Array, rows: number, width: number): void {
  const factor = cholesky(symmetricProduct(basis, basis, rows, width), width)
  for (let row = 0; row < rows; row++) {
    const from = row * width
    for (let k = 0; k < width; k++) {
      const at = k * width
      const solved = (basis[from + k] ?? 0) / (factor[at + k] ?? 1)
      basis[from + k] = solved
      for (let j = k + 1; j < width; j++)
        basis[from + j] = (basis[from + j] ?? 0) - solved * (factor[at + j] ?? 0)
    }
  }
}

/** The upper triangular R with Rᵀ·R = `square`. */
function cholesky(square: Float64Array, width: number): Float64Array {
  const factor = new Float64Array(width * width)
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) {
      let sum = square[i * width + j] ?? 0
      for (let k = 0; k < i; k++) sum -= (factor[k * width + i] ?? 0) * (factor[k * width + j] ?? 0)
      if (i === j && sum <= 0)
        throw new Error('The matrix has fewer independent directions than were asked for')
      factor[i * width + j] = i === j ? Math.sqrt(sum) : sum / (factor[i * width + i] ?? 1)
    }
  }
  return factor
}

/** All eigenpairs of a symmetric matrix by cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5); vectors in columns. */
function jacobi(symmetric: Float64Array, width: number): { values: Float64Array; vectors: Float64Array } {
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
