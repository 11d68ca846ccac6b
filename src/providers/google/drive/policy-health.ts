import type { PolicyCounts } from '../../provider.ts'

/** The state of a Google Drive source's access policies (`policyHealth` of `GET /v1/sources`). */
interface PolicyHealth {
  status: 'ok' | 'warning'
  files: number
  filesWithoutPolicy: number
  warnings: { code: 'access_policy_missing' | 'full_resync_required'; message: string; cure: string }[]
}

/** Computes `policyHealth` from the counts of items and of those without a policy. `resyncedSince`: no crawl helps. */
export function computePolicyHealth({
  files,
  filesWithoutPolicy,
  resyncedSince,
}: PolicyCounts): PolicyHealth {
  if (filesWithoutPolicy === 0) return { status: 'ok', files, filesWithoutPolicy, warnings: [] }
  const many = filesWithoutPolicy === 1 ? '1 file is' : `${filesWithoutPolicy} files are`
  const warning = resyncedSince
    ? {
        code: 'access_policy_missing' as const,
        message: `${many} stored without an access policy, because Google does not show this account their permissions.`,
        cure: 'Give the connected account the right to share these files (in a shared drive: Content manager or above), then start a sync run with fullResync.',
      }
    : {
        code: 'full_resync_required' as const,
        message: `${many} stored without an access policy.`,
        cure: 'Start a sync run with fullResync to read the permissions of every file again.',
      }
  return { status: 'warning', files, filesWithoutPolicy, warnings: [warning] }
}
