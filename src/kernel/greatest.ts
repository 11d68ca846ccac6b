export class Greatest {
  /** Ascending, filled from the end. */
  readonly #values: Float64Array
  #count = 0
  #least = 0

  /** @param wanted 1 or more */
  constructor(wanted: number) {
    this.#values = new Float64Array(wanted)
  }

  /** The k-th score: the least of the greatest values when it is above 0; 0 while there are fewer than wanted. */
  get least(): number {
    return this.#least
  }

  note(value: number): void {
    const values = this.#values
    const { length } = values
    const isFull = this.#count === length
    if (isFull && value <= (values[0] ?? 0)) return
    let at = isFull ? 0 : length - this.#count - 1
    for (; at + 1 < length && (values[at + 1] ?? 0) < value; at++) values[at] = values[at + 1] ?? 0
    values[at] = value
    if (!isFull) this.#count += 1
    if (this.#count === length) this.#least = Math.max(0, values[0] ?? 0)
  }
}
