// Written by `npm run generate` from openapi/openapi.json: the list of providers.
/** The providers of a deployment without PROVIDERS; the page replaces them when it starts. */
export const DEFAULT_PROVIDERS = [
  {
    id: 'slack',
    name: 'Slack',
    brings: 'Messages and threads of the channels that its bot is invited to.',
    icon: 'M10 4 8 20M16 4l-2 16M4.5 9h16M3.5 15h16',
    color: '#7a3d80',
    hasChannels: true,
    isForFiles: false,
  },
  {
    id: 'google_drive',
    name: 'Google Drive',
    brings: 'Documents and files, with their permissions.',
    icon: 'M9 4h6l6.5 11.5-3 4.5h-13l-3-4.5zM9 4l6.5 11.5h6M5.5 20 12 9.3',
    color: '#188038',
    hasChannels: false,
    isForFiles: true,
  },
  {
    id: 'notion',
    name: 'Notion',
    brings: 'Pages and databases that are shared with the connection.',
    icon: 'M4.5 4.5h15v15h-15zM9 16V8l6 8V8',
    color: '#4a4640',
    hasChannels: false,
    isForFiles: false,
  },
  {
    id: 'gmail',
    name: 'Gmail',
    brings: 'Mail, without spam and trash.',
    icon: 'M4 18.5V6.5l8 6.5 8-6.5v12',
    color: '#c5372c',
    hasChannels: false,
    isForFiles: false,
  },
] as const
