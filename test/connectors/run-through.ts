import { ProviderError } from '../../src/providers/adapter.ts'
import type { ProviderHarness, RunReport } from '../support/provider-harness.ts'

/** A complete run: another one goes on when the provider asks to wait for longer than a run may. */
export async function runThrough(sync: ProviderHarness): Promise<RunReport> {
  for (;;) {
    try {
      return await sync.run()
    } catch (error) {
      if (!(error instanceof ProviderError) || error.retryAfterMs === null) throw error
      sync.now += error.retryAfterMs
    }
  }
}
