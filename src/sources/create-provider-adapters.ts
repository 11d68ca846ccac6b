import { AppError } from '../kernel/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { createTextExtractor } from '../file-text/index.ts'
import type { ProviderAdapter } from './provider.ts'

/** The providers' part of the settings; an API's address is the provider's own unless given. */
export interface ProviderSettings {
  SLACK_CLIENT_ID?: string | undefined
  SLACK_CLIENT_SECRET?: string | undefined
  SLACK_API_URL?: string | undefined
  GOOGLE_CLIENT_ID?: string | undefined
  GOOGLE_CLIENT_SECRET?: string | undefined
  GOOGLE_API_URL?: string | undefined
  GOOGLE_AUTH_URL?: string | undefined
  NOTION_CLIENT_ID?: string | undefined
  NOTION_CLIENT_SECRET?: string | undefined
  NOTION_API_URL?: string | undefined
}

/** The providers that this deployment offers. */
export interface ProviderAdapters {
  readonly offered: readonly ProviderId[]
  /** @throws AppError `not_configured` that names the settings */
  get(provider: ProviderId): ProviderAdapter
  /** Ends the threads that read files. */
  close(): Promise<void>
}

const SETTINGS_OF: Record<ProviderId, string> = {
  slack: 'SLACK_CLIENT_ID and SLACK_CLIENT_SECRET',
  google_drive: 'GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET',
  notion: 'NOTION_CLIENT_ID and NOTION_CLIENT_SECRET',
  gmail: 'GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET',
}

/** An adapter for each provider whose client is configured. The SDKs of the others are not loaded: they take their time. */
export async function createProviderAdapters(
  settings: ProviderSettings,
  clock: Clock,
): Promise<ProviderAdapters> {
  const extractor = createTextExtractor()
  const adapters: ProviderAdapter[] = []
  const { SLACK_CLIENT_ID, SLACK_CLIENT_SECRET, NOTION_CLIENT_ID, NOTION_CLIENT_SECRET } = settings
  const now = (): Date => clock.now()
  if (SLACK_CLIENT_ID !== undefined && SLACK_CLIENT_SECRET !== undefined) {
    const { createSlackAdapter } = await import('./providers/slack/index.ts')
    const apiUrl = settings.SLACK_API_URL ?? 'https://slack.com/api'
    adapters.push(
      createSlackAdapter({ clientId: SLACK_CLIENT_ID, clientSecret: SLACK_CLIENT_SECRET, apiUrl, now }),
    )
  }
  if (NOTION_CLIENT_ID !== undefined && NOTION_CLIENT_SECRET !== undefined) {
    const { createNotionAdapter } = await import('./providers/notion/index.ts')
    const apiUrl = settings.NOTION_API_URL ?? 'https://api.notion.com'
    adapters.push(
      createNotionAdapter({ clientId: NOTION_CLIENT_ID, clientSecret: NOTION_CLIENT_SECRET, apiUrl, now }),
    )
  }
  if (settings.GOOGLE_CLIENT_ID !== undefined && settings.GOOGLE_CLIENT_SECRET !== undefined) {
    const { createGoogleDriveAdapter } = await import('./providers/google-drive/index.ts')
    const { createGmailAdapter } = await import('./providers/gmail/index.ts')
    const google = {
      clientId: settings.GOOGLE_CLIENT_ID,
      clientSecret: settings.GOOGLE_CLIENT_SECRET,
      apiUrl: settings.GOOGLE_API_URL ?? null,
      authUrl: settings.GOOGLE_AUTH_URL ?? null,
    }
    adapters.push(
      createGoogleDriveAdapter({ settings: google, clock, extractor }),
      createGmailAdapter({ settings: google, clock, extractor }),
    )
  }
  return adaptersOf(adapters, () => extractor.close())
}

/** The adapters by provider; `close` ends what they share. */
function adaptersOf(
  adapters: readonly ProviderAdapter[],
  close: () => Promise<void> = async () => {},
): ProviderAdapters {
  const byProvider = new Map(adapters.map((adapter) => [adapter.provider, adapter]))
  return {
    offered: [...byProvider.keys()],
    get(provider) {
      const adapter = byProvider.get(provider)
      if (adapter) return adapter
      throw new AppError(
        'not_configured',
        `This deployment does not offer ${provider}: set ${SETTINGS_OF[provider]}`,
      )
    },
    close,
  }
}
