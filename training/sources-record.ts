import { createHash } from 'node:crypto'

import type { ModelId } from '../src/inference/embedding-models/builtin/artifact-format.ts'
import type { Corpus } from './corpus.ts'
import type { PairKind } from './extract-pairs.ts'
import type { UnpackedPackage } from './packages.ts'

/**
 * The record of a model's training sources in Markdown: each package with its version, license, share and
 * checksum.
 */
export function describeSources(
  modelId: ModelId,
  packages: readonly UnpackedPackage[],
  corpus: Corpus,
  artifact: Buffer,
): string {
  const rows = packages.map(({ source, version, sha256 }) => {
    const stems = corpus.stemsOf.get(source.package) ?? 0
    return `| ${source.package} | ${version} | ${source.license} | ${stems.toLocaleString('en')} | \`${sha256}\` |`
  })
  const total = [...corpus.stemsOf.values()].reduce((sum, stems) => sum + stems, 0)
  return `# What ${modelId} was trained on

Written by \`node training/train.ts\`. Debian packages; the license is that of the files that were read, as the package's copyright file states it.
Statistics alone leave training: stems, how often they occur, and vectors of the company that they keep.

Artifact: SHA-256 \`${sha256Of(artifact)}\`, ${artifact.length.toLocaleString('en')} bytes.
Text: ${total.toLocaleString('en')} stems, stop words not counted, repeated paragraphs once.

| package | version | license | stems | SHA-256 of the package |
|---|---|---|---|---|
${rows.join('\n')}
`
}

/** The record of a model's sources of pairs: each package with its version, license and checksum. */
export function describePairSources(
  modelId: ModelId,
  packages: readonly UnpackedPackage[],
  kinds: readonly PairKind[],
  artifact: Buffer,
): string {
  const counts = new Map<PairKind, number>()
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const pairs = [...counts].map(([kind, count]) => `| ${kind} | ${count.toLocaleString('en')} |`)
  const rows = packages.map(rowOf)
  return `# What ${modelId} was trained on

Written by \`node training/train-meaning.ts\`. It begins with the vectors of builtin-1, whose sources are in SOURCES.md, and goes on with pairs of texts out of these Debian packages; the license is that of the files that were read, as the package's copyright file states it.
Statistics alone leave training: stems, and vectors and weights of what is said with them.

Artifact: SHA-256 \`${sha256Of(artifact)}\`, ${artifact.length.toLocaleString('en')} bytes.

| pairs | |
|---|---|
${pairs.join('\n')}

| package | version | license | SHA-256 of the package |
|---|---|---|---|
${rows.join('\n')}
`
}

/** The record of the packages whose words and texts a sentence model read, and of that model. */
export function describeDistilledSources(
  modelId: ModelId,
  npm: readonly UnpackedPackage[],
  packages: readonly UnpackedPackage[],
  artifact: Buffer,
): string {
  return `# What ${modelId} was trained on

Written by \`node training/train-distilled.ts\`. Stems and how often they occur are those of builtin-2, whose sources are in SOURCES.md and SOURCES-2.md, and words out of WordNet, GloVe's list of words, and \`work-words.txt\`. Vectors are learned from what a sentence model says about texts out of these Debian packages; the license is that of the files that were read, as the package's copyright file states it.

Artifact: SHA-256 \`${sha256Of(artifact)}\`, ${artifact.length.toLocaleString('en')} bytes.

| package of npm | version | license | SHA-256 of the package |
|---|---|---|---|
${npm.map(rowOf).join('\n')}

The sentence model is all-MiniLM-L6-v2 (Reimers and Gurevych, Sentence-BERT, 2019; Wang and others, MiniLM, 2020), published under the Apache License 2.0. Its weights are read in training and are not part of this project.

| package of Debian | version | license | SHA-256 of the package |
|---|---|---|---|
${packages.map(rowOf).join('\n')}
`
}

function rowOf({ source, version, sha256 }: UnpackedPackage): string {
  return `| ${source.package} | ${version} | ${source.license} | \`${sha256}\` |`
}

function sha256Of(artifact: Buffer): string {
  return createHash('sha256').update(artifact).digest('hex')
}
