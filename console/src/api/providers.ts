// Written by `npm run generate` from openapi/openapi.json: what the service tells of its providers.
export const PROVIDERS = {
  slack: {
    name: 'Slack',
    brings: 'Messages and threads of the channels that its bot is invited to.',
    icon: 'hash',
    hasChannels: true,
  },
  google_drive: {
    name: 'Google Drive',
    brings: 'Documents and files, with their permissions.',
    icon: 'drive',
    hasChannels: false,
  },
  notion: {
    name: 'Notion',
    brings: 'Pages and databases that are shared with the connection.',
    icon: 'page',
    hasChannels: false,
  },
  gmail: {
    name: 'Gmail',
    brings: 'Mail, without spam and trash.',
    icon: 'mail',
    hasChannels: false,
  },
} as const

/** The provider of files that nobody chose another one for. */
export const FILES_PROVIDER = 'google_drive'
