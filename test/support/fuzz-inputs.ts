/** `FUZZ_INPUTS=10000` tries that many of each kind. */
export const INPUTS = Number(process.env.FUZZ_INPUTS ?? 150)

/** Numbers what is tried, so that a failure can be tried again alone. */
export async function eachInput(act: (number: number) => Promise<string | null>): Promise<string[]> {
  const wrong: string[] = []
  for (let number = 0; number < INPUTS && wrong.length < WRONG_MAX; number++) {
    const found = await act(number)
    if (found !== null) wrong.push(`input ${number}: ${found}`)
  }
  return wrong
}
const WRONG_MAX = 10
