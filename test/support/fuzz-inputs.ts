/** `FUZZ_INPUTS=10000` tries that many of each kind. */
export const INPUTS = Number(process.env.FUZZ_INPUTS ?? 150)

/** Numbers the inputs, so that a failing one can be run again by itself. */
export async function eachInput(act: (number: number) => Promise<string | null>): Promise<string[]> {
  const wrong: string[] = []
  for (let number = 0; number < INPUTS && wrong.length < WRONG_MAX; number++) {
    const found = await act(number)
    if (found !== null) wrong.push(`input ${number}: ${found}`)
  }
  return wrong
}
const WRONG_MAX = 10
