/** The console's pages in the order of its navigation, some only for admins and owners. */
export const PAGES = [
  { path: '/', label: 'Home', forAdmins: false },
  { path: '/ask', label: 'Ask', forAdmins: false },
  { path: '/sources', label: 'Sources', forAdmins: true },
  { path: '/memory', label: 'Memory', forAdmins: false },
  { path: '/evaluation', label: 'Evaluation', forAdmins: true },
  { path: '/developers', label: 'Developers', forAdmins: true },
  { path: '/audit', label: 'Audit', forAdmins: true },
  { path: '/billing', label: 'Billing', forAdmins: true },
  { path: '/members', label: 'Members', forAdmins: true },
  { path: '/settings', label: 'Settings', forAdmins: false },
] as const

export type PagePath = (typeof PAGES)[number]['path']
