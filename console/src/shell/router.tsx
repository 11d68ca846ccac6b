import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router'
import { readAskSearch } from '../pages/ask/ask-search.ts'
import { readEvaluationSearch } from '../pages/evaluation/evaluation-search.ts'
import { readMemorySearch } from '../pages/memory/memory-search.ts'
import { readDevelopersSearch } from '../pages/developers/developers-search.ts'
import { readAuditSearch } from '../pages/audit/audit-search.ts'
import { readImportSearch, readItemsSearch, readSourceSearch } from '../pages/sources/items-search.ts'
import { readSourcesSearch } from '../pages/sources/source-filter.ts'
import { PageSkeleton } from '../ui/skeletons.tsx'
import { AdminOnly } from './admin-only.tsx'
import { BrokenPage } from './broken-page.tsx'
import { NoSuchPage } from './no-such-page.tsx'
import { pageFile } from '../data/page-file.ts'
import { validSearch } from '../data/valid-search.ts'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NoSuchPage })

/** Pages that members cannot open. A direct link shows them why. */
const admins = createRoute({
  getParentRoute: () => root,
  id: 'admins',
  component: () => (
    <AdminOnly>
      <Outlet />
    </AdminOnly>
  ),
})

function page<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(pageFile(load), name)
}

const routeTree = root.addChildren([
  createRoute({
    getParentRoute: () => root,
    path: '/',
    component: page(() => import('../pages/home/home-page.tsx'), 'HomePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/ask',
    validateSearch: validSearch(readAskSearch),
    component: page(() => import('../pages/ask/ask-page.tsx'), 'AskPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/memory',
    validateSearch: validSearch(readMemorySearch),
    component: page(() => import('../pages/memory/memory-page.tsx'), 'MemoryPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings',
    component: page(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
  }),
  admins.addChildren([
    createRoute({
      getParentRoute: () => admins,
      path: '/sources',
      // Not by `validSearch`: the page shows the outcome that a redirect from a provider adds to the URL.
      validateSearch: readSourcesSearch,
      component: page(() => import('../pages/sources/sources-page.tsx'), 'SourcesPage'),
    }),
    createRoute({
      getParentRoute: () => admins,
      path: '/sources/new',
      component: page(() => import('../pages/sources/new-source-page.tsx'), 'NewSourcePage'),
    }),
    createRoute({
      getParentRoute: () => admins,
      path: '/sources/import',
      validateSearch: validSearch(readImportSearch),
      component: page(() => import('../pages/sources/import-page.tsx'), 'ImportPage'),
    }),
    createRoute({
      getParentRoute: () => admins,
      path: '/sources/items',
      validateSearch: validSearch(readItemsSearch),
      component: page(() => import('../pages/sources/items-page.tsx'), 'ItemsPage'),
    }),
    createRoute({
      getParentRoute: () => admins,
      path: '/sources/$sourceId',
      validateSearch: validSearch(readSourceSearch),
      component: page(() => import('../pages/sources/source-page.tsx'), 'SourcePage'),
    }),
    createRoute({
      getParentRoute: () => admins,
      path: '/evaluation',
      validateSearch: validSearch(readEvaluationSearch),
      component: page(() => import('../pages/evaluation/evaluation-page.tsx'), 'EvaluationPage'),
    }),
    createRoute({
      getParentRoute: () => admins,
      path: '/developers',
      validateSearch: validSearch(readDevelopersSearch),
      component: page(() => import('../pages/developers/developers-page.tsx'), 'DevelopersPage'),
    }),
    createRoute({
      getParentRoute: () => admins,
      path: '/developers/keys/$keyId',
      component: page(() => import('../pages/developers/key-page.tsx'), 'KeyPage'),
    }),
    createRoute({
      getParentRoute: () => admins,
      path: '/audit',
      validateSearch: validSearch(readAuditSearch),
      component: page(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
    }),
    createRoute({
      getParentRoute: () => admins,
      path: '/billing',
      component: page(() => import('../pages/billing/billing-page.tsx'), 'BillingPage'),
    }),
    createRoute({
      getParentRoute: () => admins,
      path: '/members',
      component: page(() => import('../pages/members/members-page.tsx'), 'MembersPage'),
    }),
  ]),
])

/** The console's routes. Each page is a separate file, preloaded when the user is likely to open it. */
export const router = createRouter({
  routeTree,
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: PageSkeleton,
  defaultPendingMs: 150,
  defaultErrorComponent: BrokenPage,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
