/** The titles of the sections, and the fragments of links to them. */
export const SECTIONS = {
  workspace: { id: 'workspace', title: 'Workspace' },
  permissions: { id: 'permissions', title: 'Permissions' },
  service: { id: 'service', title: 'Service' },
  models: { id: 'models', title: 'Models' },
  retention: { id: 'retention', title: 'Data retention' },
  export: { id: 'export', title: 'Export' },
  account: { id: 'account', title: 'Your account' },
  leave: { id: 'leave', title: 'Leave the workspace' },
  removal: { id: 'removal', title: 'Delete the workspace' },
} as const
