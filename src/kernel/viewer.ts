import type { Caller } from './caller.ts'

const BITS = 32

/** The access policies whose items a caller may read. `src/permissions` computes them. */
export class Readable {
  static #made = 0
  /** Every item, whatever its policy. */
  static readonly everything = new Readable(null)
  static readonly nothing = new Readable(new Uint32Array(0))
  /** Unique for each set, so that caches can tell sets apart. */
  readonly key = Readable.#made++
  /** One bit per policy id; null: all policies. */
  readonly #bits: Uint32Array | null
  #ids: string | undefined

  private constructor(bits: Uint32Array | null) {
    this.#bits = bits
  }

  get isEverything(): boolean {
    return this.#bits === null
  }

  get bytes(): number {
    return this.#bits?.byteLength ?? 0
  }

  /** Whether the caller may read items of this policy. Nobody may read an item without one (0 or null). */
  has(policyId: number | null): boolean {
    if (this.#bits === null) return true
    if (policyId === null || policyId <= 0) return false
    return (((this.#bits[policyId >>> 5] ?? 0) >>> (policyId & 31)) & 1) === 1
  }

  with(policyIds: readonly number[]): Readable {
    if (this.#bits === null || policyIds.length === 0) return this
    const greatest = policyIds.reduce((most, id) => Math.max(most, id), 0)
    const bits = new Uint32Array(Math.max(this.#bits.length, (greatest >>> 5) + 1))
    bits.set(this.#bits)
    for (const id of policyIds) if (id > 0) bits[id >>> 5] = (bits[id >>> 5] ?? 0) | (1 << (id & 31))
    return new Readable(bits)
  }

  /** The ids as a value for `$1::int[]`. Do not call it on `everything`. */
  get ids(): string {
    this.#ids ??= `{${[...this.#each()].join(',')}}`
    return this.#ids
  }

  *#each(): Generator<number> {
    if (this.#bits === null) throw new Error('everything has no list of policies')
    for (const [word, bits] of this.#bits.entries())
      for (let bit = 0; bit < BITS; bit++) if ((bits >>> bit) & 1) yield word * BITS + bit
  }

  toJSON(): number {
    return this.key
  }
}

/** A caller with what it may read. All code that shows or counts items takes a `Viewer`, not a `Caller`. */
export type Viewer = Caller & { readonly readable: Readable }
