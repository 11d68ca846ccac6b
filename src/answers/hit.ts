/** One found chunk, as the retrieval routes answer it. */
export interface Hit {
  sourceItemId: string
  title: string
  content: string
  url: string
  provider: string
  score: number
  metadata: Record<string, unknown>
  syncedAt: string
}
