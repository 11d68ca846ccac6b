// Written by `npm run generate` from openapi/openapi.json: the list of providers.
/** Those of a deployment without PROVIDERS; others replace them when the page starts. */
export const DEFAULT_PROVIDERS = [
  {
    id: 'slack',
    name: 'Slack',
    brings: 'Messages and threads of the channels that its bot is invited to.',
    icon: 'hash',
    hasChannels: true,
    isForFiles: false,
  },
  {
    id: 'google_drive',
    name: 'Google Drive',
    brings: 'Documents and files, with their permissions.',
    icon: 'drive',
    hasChannels: false,
    isForFiles: true,
  },
  {
    id: 'notion',
    name: 'Notion',
    brings: 'Pages and databases that are shared with the connection.',
    icon: 'page',
    hasChannels: false,
    isForFiles: false,
  },
  {
    id: 'gmail',
    name: 'Gmail',
    brings: 'Mail, without spam and trash.',
    icon: 'mail',
    hasChannels: false,
    isForFiles: false,
  },
] as const
