import { Link } from '@tanstack/react-router'
import classes from './navigation-list.module.css'
import { PAGES } from '../data/pages.ts'
import { PAGE_ICONS } from './page-icons.ts'
import { useWorkspace } from '../session/workspace.tsx'

/** The pages that the user can open. */
export function NavigationList({ onNavigate }: { onNavigate?: () => void }) {
  const { isAdmin } = useWorkspace()
  return (
    <nav aria-label="Pages" className={classes.navigation}>
      <ul className={classes.list}>
        {PAGES.filter(({ forAdmins }) => isAdmin || !forAdmins).map(({ path, label }) => {
          const Icon = PAGE_ICONS[path]
          return (
            <li key={path}>
              <Link
                to={path}
                className={classes.link ?? ''}
                activeOptions={{ exact: path === '/' }}
                {...(onNavigate ? { onClick: onNavigate } : {})}
              >
                <Icon size={17} strokeWidth={1.9} aria-hidden />
                {label}
              </Link>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}
