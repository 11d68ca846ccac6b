import { createHash } from 'node:crypto'

import { MODEL_ID } from '../src/inference/embedding-models/builtin/artefact-format.ts'
import type { Corpus } from './corpus.ts'
import type { UnpackedPackage } from './packages.ts'

/** The record of what a model was trained on, in Markdown: each package with its version, licence, share and checksum. */
export function describeSources(
  packages: readonly UnpackedPackage[],
  corpus: Corpus,
  artefact: Buffer,
): string {
  const rows = packages.map(({ source, version, sha256 }) => {
    const stems = corpus.stemsOf.get(source.package) ?? 0
    return `| ${source.package} | ${version} | ${source.licence} | ${stems.toLocaleString('en')} | \`${sha256}\` |`
  })
  const total = [...corpus.stemsOf.values()].reduce((sum, stems) => sum + stems, 0)
  return `# What ${MODEL_ID} was trained on

Written by \`node training/train.ts\`. Debian packages; the licence is that of the files that were read, as the package's copyright file states it.
Statistics alone leave training: stems, how often they occur, and vectors of the company that they keep.

Artefact: SHA-256 \`${createHash('sha256').update(artefact).digest('hex')}\`, ${artefact.length.toLocaleString('en')} bytes.
Text: ${total.toLocaleString('en')} stems, stop words not counted, repeated paragraphs once.

| package | version | licence | stems | SHA-256 of the package |
|---|---|---|---|---|
${rows.join('\n')}
`
}
