import { useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  Building2,
  Database,
  FileText,
  KeyRound,
  MessageCircleQuestionMark,
  Monitor,
  Moon,
  Sun,
} from 'lucide-react'
import { isFile, originName } from '../api/origin.ts'
import { providerName } from '../api/provider-list.ts'
import { unwrap } from '../api/client.ts'
import { leaveQuestion } from '../data/pending-question.ts'
import { useApiKeys } from '../pages/developers/use-api-keys.ts'
import { useSources } from '../pages/sources/use-sources.ts'
import { useRead } from '../data/use-api.ts'
import { useWorkspace } from '../session/workspace.tsx'
import { PAGES } from '../data/pages.ts'
import { PAGE_ICONS } from '../shell/page-icons.ts'
import { type EntryGroup, matching } from './entries.ts'

const TYPING_MS = 200
const ITEMS_SHOWN = 6
/** The API's maximum length of a title filter. */
const TITLE_CHARACTERS_MAX = 200
const THEMES = [
  { scheme: 'light', label: 'Light theme', icon: Sun },
  { scheme: 'dark', label: 'Dark theme', icon: Moon },
  { scheme: 'auto', label: 'System theme', icon: Monitor },
] as const

/** The palette's entries for a query: pages and names, then items by title, then the question. */
export function useEntries(query: string): EntryGroup[] {
  const words = query.trim()
  const question = useQuestion(words)
  const items = useItemEntries(words)
  const known = [usePages(), useSourceEntries(), useKeyEntries(), useWorkspaceEntries(), useThemes()]
  return [...matching(known, words), ...items, ...question]
}

function usePages(): EntryGroup {
  const { isAdmin } = useWorkspace()
  const navigate = useNavigate()
  const entries = PAGES.filter(({ forAdmins }) => isAdmin || !forAdmins).map(({ path, label }) => ({
    id: `page-${label}`,
    label,
    hint: 'Page',
    icon: PAGE_ICONS[path],
    isNavigation: true,
    run: () => void navigate({ to: path }),
  }))
  return { label: 'Pages', entries, isWhole: true }
}

function useQuestion(words: string): EntryGroup[] {
  const navigate = useNavigate()
  if (words === '') return []
  const entry = {
    id: 'ask',
    label: `Ask “${words}”`,
    icon: MessageCircleQuestionMark,
    isNavigation: true,
    run: () => {
      leaveQuestion(words)
      void navigate({ to: '/ask' })
    },
  }
  return [{ label: 'Ask', entries: [entry] }]
}

function useSourceEntries(): EntryGroup {
  const navigate = useNavigate()
  const entries = (useSources().data ?? []).map(({ id, displayName, provider }) => ({
    id: `source-${id}`,
    label: displayName,
    hint: providerName(provider) ?? provider,
    icon: Database,
    provider,
    isNavigation: true,
    run: () => void navigate({ to: '/sources/$sourceId', params: { sourceId: id } }),
  }))
  return { label: 'Sources', entries }
}

function useKeyEntries(): EntryGroup {
  const navigate = useNavigate()
  const entries = (useApiKeys().data ?? []).map(({ id, name }) => ({
    id: `key-${id}`,
    label: name,
    hint: 'API key',
    icon: KeyRound,
    isNavigation: true,
    run: () => void navigate({ to: '/developers/keys/$keyId', params: { keyId: id } }),
  }))
  return { label: 'API keys', entries }
}

function useWorkspaceEntries(): EntryGroup {
  const { organization, organizations, choose } = useWorkspace()
  const navigate = useNavigate()
  const others = organizations.filter(({ id }) => id !== organization.id)
  const entries = others.map(({ id, name }) => ({
    id: `workspace-${id}`,
    label: `Switch to ${name}`,
    hint: 'Workspace',
    icon: Building2,
    isNavigation: true,
    run: () => {
      choose(id)
      void navigate({ to: '/' })
    },
  }))
  return { label: 'Workspaces', entries }
}

function useThemes(): EntryGroup {
  const { setColorScheme } = useMantineColorScheme()
  const entries = THEMES.map(({ scheme, label, icon }) => ({
    id: `theme-${scheme}`,
    label,
    hint: 'Theme',
    icon,
    isNavigation: false,
    run: () => setColorScheme(scheme),
  }))
  return { label: 'Theme', entries }
}

/** Items whose title contains the words. Opens them in the list of items for admins, and beside Ask for members. */
function useItemEntries(words: string): EntryGroup[] {
  const { isAdmin } = useWorkspace()
  const navigate = useNavigate()
  const [title] = useDebouncedValue(words.slice(0, TITLE_CHARACTERS_MAX), TYPING_MS)
  const items = useRead(
    ['source-items', 'by-title', title],
    async (api, signal) => {
      const query = { title, limit: ITEMS_SHOWN }
      return (await unwrap(api.GET('/v1/console/source-items', { params: { query }, signal }))).sourceItems
    },
    { enabled: title.length > 1, placeholderData: keepPreviousData },
  )
  if (words.length < 2 || items.data === undefined || items.data.length === 0) return []
  const entries = items.data.map((item) => ({
    id: `item-${item.id}`,
    label: item.title,
    hint: originName(item),
    icon: FileText,
    provider: isFile(item) ? undefined : item.provider,
    isNavigation: true,
    run: () =>
      void (isAdmin
        ? navigate({ to: '/sources/items', search: { item: item.id } })
        : navigate({ to: '/ask', search: { item: item.id } })),
  }))
  return [{ label: 'Items', entries }]
}
