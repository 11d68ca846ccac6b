import { urlSetting } from '../settings.ts'

/** Both ways to connect read the same GitHub. */
export const githubApiUrl = {
  GITHUB_API_URL: urlSetting.describe(
    'Replaces https://api.github.com, for GitHub Enterprise Server `https://HOST/api/v3`. `PROVIDERS` must also name `github` or `github_app`',
  ),
}
