/** Keeps the greatest of many values in a heap, the least of them first. */
export class Greatest {
  readonly #values: Float64Array
  #least = 0

  /** @param wanted 1 or more */
  constructor(wanted: number) {
    this.#values = new Float64Array(wanted).fill(-Infinity)
  }

  /** The k-th score: the least of the greatest values when it is above 0; 0 while there are fewer than wanted. */
  get least(): number {
    return this.#least
  }

  note(value: number): void {
    const values = this.#values
    if (value <= (values[0] ?? 0)) return
    let at = 0
    for (let child = 1; child < values.length; child = 2 * at + 1) {
      if ((values[child + 1] ?? Infinity) < (values[child] ?? 0)) child += 1
      const below = values[child] ?? 0
      if (below >= value) break
      values[at] = below
      at = child
    }
    values[at] = value
    this.#least = Math.max(0, values[0] ?? 0)
  }
}
