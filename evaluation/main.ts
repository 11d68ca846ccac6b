import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readSettings, type Settings } from '../src/config.ts'
import type { EmbeddingModel } from '../src/inference/embedding-model.ts'
import { createEmbeddingModel } from '../src/inference/embedding-models/create-embedding-model.ts'
import { loadTermWeights } from '../src/inference/term-weights.ts'
import { StartupError } from '../src/kernel/errors.ts'
import { drawChart } from './draw-chart.ts'
import { evaluateAnswers } from './evaluate-answers.ts'
import { evaluateCanvas } from './evaluate-canvas.ts'
import { evaluateFacts } from './evaluate-facts.ts'
import { evaluateRetrieval } from './evaluate-retrieval.ts'
import { chooseThreshold, evaluateWeakEvidence } from './evaluate-weak-evidence.ts'
import { evaluateWords } from './evaluate-words.ts'
import { keepCalibration } from './keep-calibration.ts'
import { type Collection, CollectionError, readCollection, sampleQueries } from './read-collection.ts'
import { readFacts, readUnanswerable } from './read-facts.ts'
import { readLabeledItems } from './read-labeled-items.ts'
import { readSubjects } from './read-subjects.ts'
import {
  answersTable,
  canvasTables,
  factsTable,
  retrievalTable,
  weakEvidenceTable,
  wordsTable,
} from './table.ts'
import { createWorkspaces, onThrowawayDatabase, type Workspace } from './workspaces.ts'

/** The project's own questions for facts. */
const FACTS_FOLDER = fileURLToPath(new URL('../test/facts', import.meta.url))
/** The project's own items for the memory canvas. */
const CANVAS_FOLDER = fileURLToPath(new URL('../test/canvas', import.meta.url))

const USAGE = `Usage: npm run evaluate -- DIR... [--chart FOLDER] [--limit-queries N] [--json]
       npm run evaluate -- --answers DIR... [--evidence DIR] [--limit-queries N] [--json]
       npm run evaluate -- --calibrate DIR DIR... [--keep] [--json]
       npm run evaluate -- facts [DIR...] [--limit-queries N] [--json]
       npm run evaluate -- canvas [DIR] [--json]
       npm run evaluate -- words DIR... [--json]

Measures search over retrieval collections, each a folder with corpus.jsonl, queries.jsonl and qrels.tsv;
with --answers, how often an answer without a language model contains a sentence of a relevant document;
with --calibrate, the score below which a question has no answer, from collections about different subjects;
with facts, how often answers state the fact (by default those of test/facts);
with canvas, precision and recall of the memory canvas for labeled items (by default those of test/canvas);
with words, the weight of words outside the subject of questions.

  --chart FOLDER      draw the comparison as FOLDER/evaluation.svg
  --limit-queries N   measure only N questions of each collection, evenly spread
  --answers           judge answers instead of search
  --evidence DIR      a collection with the same questions, whose documents are the answering sections
  --calibrate         separate answerable questions from those of other collections
  --keep              store the calibration with the model
  --json              print JSON`

/** Invalid arguments; printed with the usage. */
class UsageError extends Error {}

interface Options {
  folders: string[]
  chart: string | undefined
  answers: boolean
  calibrate: boolean
  keep: boolean
  facts: boolean
  evidence: string | undefined
  queriesMax: number
  json: boolean
}

function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseOptions(args)
  const limit = values['limit-queries']
  const facts = positionals[0] === 'facts'
  const named = facts ? positionals.slice(1) : positionals
  const folders = facts && named.length === 0 ? [FACTS_FOLDER] : named
  if (folders.length === 0) throw new UsageError('No collection is named.')
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit)) {
    throw new UsageError(`--limit-queries takes a whole number from 1 on, not "${limit}".`)
  }
  if (values.calibrate && positionals.length < 2)
    throw new UsageError('--calibrate needs at least two collections, of different subjects.')
  if (values.keep && !values.calibrate) throw new UsageError('--keep goes with --calibrate.')
  return {
    folders,
    facts,
    chart: values.chart,
    answers: values.answers ?? false,
    calibrate: values.calibrate ?? false,
    keep: values.keep ?? false,
    evidence: values.evidence,
    queriesMax: limit === undefined ? Infinity : Number(limit),
    json: values.json ?? false,
  }
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        chart: { type: 'string' },
        answers: { type: 'boolean' },
        calibrate: { type: 'boolean' },
        keep: { type: 'boolean' },
        evidence: { type: 'string' },
        'limit-queries': { type: 'string' },
        json: { type: 'boolean' },
      },
    })
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

function configuredModel(settings: Settings): Promise<EmbeddingModel> {
  return createEmbeddingModel({
    provider: settings.EMBEDDING_PROVIDER,
    baseUrl: settings.EMBEDDING_BASE_URL,
    apiKey: settings.EMBEDDING_API_KEY,
    model: settings.EMBEDDING_MODEL,
    dimensions: settings.EMBEDDING_DIMENSIONS,
  })
}

/** Ingests each collection into its own workspace and judges it there. */
async function judgeEach<T>(
  collections: readonly Collection[],
  queriesMax: number,
  judge: (collection: Collection, workspace: Workspace, model: string, at: number) => Promise<T>,
): Promise<T[]> {
  const model = await configuredModel(readSettings(process.env))
  return await onThrowawayDatabase(async (db) => {
    const workspaces = await createWorkspaces(db, model)
    const results: T[] = []
    for (const [at, collection] of collections.entries()) {
      process.stderr.write(`${collection.name}: ingesting ${collection.documents.length} documents\n`)
      const workspace = await workspaces.ingest(collection.name, collection.documents)
      results.push(await judge(sampleQueries(collection, queriesMax), workspace, model.id, at))
    }
    return results
  })
}

async function judgeAnswers(options: Options, collections: readonly Collection[]): Promise<void> {
  const evidence = options.evidence === undefined ? null : await readCollection(options.evidence)
  const results = await judgeEach(collections, options.queriesMax, (collection, workspace) =>
    evaluateAnswers(collection, evidence ?? collection, workspace),
  )
  print(options, results, answersTable(results))
}

async function calibrate(options: Options, collections: readonly Collection[]): Promise<void> {
  let modelId = ''
  const results = await judgeEach(collections, Infinity, (collection, workspace, model) => {
    modelId = model
    const others = collections.filter((other) => other !== collection)
    return evaluateWeakEvidence(collection, others, workspace)
  })
  const threshold = chooseThreshold(results)
  const { weakEvidenceBelow } = threshold
  const words = `${weakEvidenceTable(results, weakEvidenceBelow)}\n\n${modelId}: ${JSON.stringify(threshold)}`
  print(options, { model: modelId, ...threshold, results }, words)
  if (options.keep) process.stderr.write(`Kept in ${await keepCalibration(modelId, threshold)}\n`)
}

async function judgeFacts(options: Options, collections: readonly Collection[]): Promise<void> {
  const facts = await Promise.all(options.folders.map(readFacts))
  const unanswerable = await Promise.all(options.folders.map(readUnanswerable))
  const results = await judgeEach(collections, options.queriesMax, (collection, workspace, _model, at) =>
    evaluateFacts(collection, facts[at] ?? new Map(), workspace, unanswerable[at]),
  )
  print(options, results, factsTable(results))
}

async function judgeRetrieval(options: Options, collections: readonly Collection[]): Promise<void> {
  const results = await judgeEach(collections, options.queriesMax, evaluateRetrieval)
  print(options, results, retrievalTable(results))
  if (options.chart === undefined) return
  await mkdir(options.chart, { recursive: true })
  const file = join(options.chart, 'evaluation.svg')
  await writeFile(file, drawChart(results))
  process.stderr.write(`The chart is in ${file}\n`)
}

function print({ json }: Options, results: unknown, table: string): void {
  process.stdout.write(json ? `${JSON.stringify(results, null, 2)}\n` : `${table}\n`)
}

/** @param args the arguments after `canvas` */
async function judgeCanvas(args: readonly string[]): Promise<void> {
  const options = readOptions([CANVAS_FOLDER, ...args])
  const [folder = CANVAS_FOLDER, ...others] = options.folders.slice(1)
  if (others.length > 0) throw new UsageError('canvas takes one folder.')
  const result = evaluateCanvas(await readLabeledItems(folder), await loadTermWeights())
  print(options, result, canvasTables(result))
}

/** @param args the arguments after `words` */
async function judgeWords(args: readonly string[]): Promise<void> {
  const options = readOptions(args)
  const terms = await loadTermWeights()
  const labeled = await Promise.all(options.folders.map(readSubjects))
  const results = labeled.map((questions) => evaluateWords(questions, terms))
  print(options, results, wordsTable(results))
}

async function main(args: readonly string[]): Promise<void> {
  if (args[0] === 'canvas') return judgeCanvas(args.slice(1))
  if (args[0] === 'words') return judgeWords(args.slice(1))
  const options = readOptions(args)
  // Reads all collections first, so that a fault in the last one does not cost minutes.
  const collections: Collection[] = []
  for (const folder of options.folders) collections.push(await readCollection(folder))
  await judgeBy(options)(options, collections)
}

function judgeBy({ facts, calibrate: calibrates, answers }: Options): typeof judgeRetrieval {
  if (facts) return judgeFacts
  if (calibrates) return calibrate
  return answers ? judgeAnswers : judgeRetrieval
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\n${USAGE}\n`)
    process.exitCode = 2
  } else if (error instanceof CollectionError || error instanceof StartupError) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  } else throw error
}
