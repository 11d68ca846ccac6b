import {
  Activity,
  ChartNoAxesColumn,
  Code,
  CreditCard,
  Database,
  House,
  type LucideIcon,
  MessageCircleQuestionMark,
  Settings2,
  Share2,
  Users,
} from 'lucide-react'
import type { PagePath } from '../data/page-path.ts'

export interface Page {
  path: PagePath
  label: string
  icon: LucideIcon
  /** Only for admins and owners. */
  forAdmins: boolean
}

/** The console's pages in the order of its navigation. */
export const PAGES: readonly Page[] = [
  { path: '/', label: 'Home', icon: House, forAdmins: false },
  { path: '/ask', label: 'Ask', icon: MessageCircleQuestionMark, forAdmins: false },
  { path: '/sources', label: 'Sources', icon: Database, forAdmins: true },
  { path: '/memory', label: 'Memory', icon: Share2, forAdmins: false },
  { path: '/evaluation', label: 'Evaluation', icon: ChartNoAxesColumn, forAdmins: true },
  { path: '/developers', label: 'Developers', icon: Code, forAdmins: true },
  { path: '/audit', label: 'Audit', icon: Activity, forAdmins: true },
  { path: '/billing', label: 'Billing', icon: CreditCard, forAdmins: true },
  { path: '/members', label: 'Members', icon: Users, forAdmins: true },
  { path: '/settings', label: 'Settings', icon: Settings2, forAdmins: false },
]
