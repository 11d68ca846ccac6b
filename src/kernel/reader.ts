import type { Caller } from './principal.ts'

const BITS = 32

/** The access policies whose items somebody may read. `src/permissions` decides which they are. */
export class Readable {
  static #made = 0
  /** Every item, whatever its policy. */
  static readonly everything = new Readable(null)
  static readonly nothing = new Readable(new Uint32Array(0))
  /** Another one for each set, so that caches can tell them apart. */
  readonly key = Readable.#made++
  /** A bit for each policy id; null: all. */
  readonly #bits: Uint32Array | null
  #ids: string | undefined

  private constructor(bits: Uint32Array | null) {
    this.#bits = bits
  }

  get isEverything(): boolean {
    return this.#bits === null
  }

  /** Bytes that it takes in memory. */
  get bytes(): number {
    return this.#bits?.byteLength ?? 0
  }

  /** Whether an item of this policy may be read. One without a policy (0 or null) may be read by nobody. */
  has(policyId: number | null): boolean {
    if (this.#bits === null) return true
    if (policyId === null || policyId <= 0) return false
    return (((this.#bits[policyId >>> 5] ?? 0) >>> (policyId & 31)) & 1) === 1
  }

  /** The same with more policies. */
  with(policyIds: readonly number[]): Readable {
    if (this.#bits === null || policyIds.length === 0) return this
    const greatest = policyIds.reduce((most, id) => Math.max(most, id), 0)
    const bits = new Uint32Array(Math.max(this.#bits.length, (greatest >>> 5) + 1))
    bits.set(this.#bits)
    for (const id of policyIds) if (id > 0) bits[id >>> 5] = (bits[id >>> 5] ?? 0) | (1 << (id & 31))
    return new Readable(bits)
  }

  /** The ids as a value for `$1::int[]`. Not for a set that is everything. */
  get ids(): string {
    this.#ids ??= `{${[...this.#each()].join(',')}}`
    return this.#ids
  }

  *#each(): Generator<number> {
    if (this.#bits === null) throw new Error('the policies of everything cannot be listed')
    for (const [word, bits] of this.#bits.entries())
      for (let bit = 0; bit < BITS; bit++) if ((bits >>> bit) & 1) yield word * BITS + bit
  }

  toJSON(): number {
    return this.key
  }
}

/** A caller with what it may read: what everything that shows items, or counts them, takes in place of the caller. */
export type Reader = Caller & { readonly readable: Readable }
