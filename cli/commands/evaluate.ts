import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { evaluateQuestion, type QuestionResult, summarize, type Summary } from '../evaluation/evaluate.ts'
import { readLastRun, writeLastRun } from '../evaluation/last-run.ts'
import { type ExpectedQuestion, QuestionFileError, readQuestions } from '../evaluation/read-questions.ts'
import { describeFileError, describeWriteError } from '../describe-file-error.ts'
import { UsageError } from '../failures.ts'
import { givenPath } from '../given-path.ts'
import { retryPolicyOn } from '../follow-run.ts'
import { printable, printableLine, type Terminal, wrapText } from '../terminal.ts'
import { onBehalfOfOption, personOf } from './options.ts'
import { openSession, printJson } from './session.ts'

const BYTES_MAX = 1_048_576
const INDENT = 3

/** `evaluate FILE`: how well the memory answers questions with known answers. */
export function addEvaluateCommand(program: Command): void {
  program
    .command('evaluate')
    .description('measure search and answers with questions whose answers are known (2 credits per question)')
    .argument('<file>', 'CSV with the columns question, page, fact', givenPath)
    .addOption(onBehalfOfOption())
    .option('--full', 'print the answers')
    .action(async (file: string, options: { onBehalfOf?: string; full?: boolean }, command: Command) => {
      const { client, terminal, json } = openSession(command)
      const questions = questionsOf(await readBounded(file))
      const lastFile = `${file}.last-run.json`
      const { ranAt: lastRanAt, results: last } = await readLastRun(lastFile)
      const retry = retryPolicyOn(terminal, client.url)
      const ranAt = new Date().toISOString()
      const results: QuestionResult[] = []
      // The results were paid for, so they are printed in any case.
      const show = (): void => {
        const summary = summarize(results)
        if (json) return printJson(terminal, { ranAt, lastRanAt, summary, results })
        for (const result of results) printResult(terminal, result, options.full === true)
        printSummary(terminal, summary, lastRanAt)
      }
      try {
        for (const question of questions) {
          terminal.note(`${results.length + 1} of ${questions.length}: ${printableLine(question.question)}`)
          results.push(
            await evaluateQuestion(client, question, { shared: personOf(options.onBehalfOf), retry, last }),
          )
        }
      } catch (error) {
        if (results.length > 0) show()
        throw error
      }
      await writeLastRun(lastFile, ranAt, results).catch((error: unknown) => {
        terminal.note(
          `${lastFile} cannot be written, so the next run has nothing to compare with: ${describeWriteError(error)}`,
        )
      })
      show()
    })
}

/** @throws UsageError that names every bad row by its line */
function questionsOf(text: string): ExpectedQuestion[] {
  try {
    return readQuestions(text)
  } catch (error) {
    throw error instanceof QuestionFileError ? new UsageError(error.message) : error
  }
}

/** @throws UsageError for a file that cannot be read, or is too large */
async function readBounded(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${describeFileError(error)}`)
  })
  if (bytes.length > BYTES_MAX) throw new UsageError(`${file} is over 1 MiB`)
  return bytes.toString('utf8')
}

function printResult(terminal: Terminal, result: QuestionResult, isFull: boolean): void {
  const { question, rank, hasFact, change, answer } = result
  const fact = hasFact === null ? '' : hasFact ? ', fact in the answer' : ', fact missing in the answer'
  const changed = change === 'better' || change === 'worse' ? `, ${change}` : ''
  const found = rank === null ? 'not found' : `rank ${rank}`
  terminal.print(`${found}${fact}${changed}: ${printableLine(question)}`)
  if (isFull) terminal.print(`${wrapText(printable(answer), terminal.columns, INDENT)}\n`)
}

function printSummary(terminal: Terminal, summary: Summary, lastRanAt: string | null): void {
  const { questions, hitsAt1, hitsAt3, hitsAt10, facts, factsInAnswers, better, worse } = summary
  terminal.print()
  terminal.print(`Hits at 1: ${hitsAt1}, at 3: ${hitsAt3}, at 10: ${hitsAt10}, of ${questions} questions`)
  if (facts > 0) terminal.print(`Facts in answers: ${factsInAnswers} of ${facts}`)
  if (lastRanAt !== null) terminal.print(`Since ${lastRanAt}: ${better} better, ${worse} worse`)
}
