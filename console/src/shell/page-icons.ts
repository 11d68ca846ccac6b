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
import type { PagePath } from '../data/pages.ts'

export const PAGE_ICONS: Record<PagePath, LucideIcon> = {
  '/': House,
  '/ask': MessageCircleQuestionMark,
  '/sources': Database,
  '/memory': Share2,
  '/evaluation': ChartNoAxesColumn,
  '/developers': Code,
  '/audit': Activity,
  '/billing': CreditCard,
  '/members': Users,
  '/settings': Settings2,
}
