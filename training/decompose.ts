import type { SparseMatrix } from './co-occurrence.ts'
import { jacobi, symmetricProduct } from './matrices.ts'

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
