import { ActionIcon, Burger, Drawer, Group, UnstyledButton } from '@mantine/core'
import { useDisclosure, useMediaQuery } from '@mantine/hooks'
import { Outlet, useLocation, useRouter } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useEffect, useEffectEvent, useRef } from 'react'
import { PaymentBanner } from '../pages/billing/payment-banner.tsx'
import { AccountMenu } from './account-menu.tsx'
import { Brand } from '../session/brand.tsx'
import { NavigationList } from './navigation-list.tsx'
import classes from './shell.module.css'
import { useWorkspace } from '../session/workspace.tsx'
import { PALETTE_KEYS, PALETTE_SHORTCUT, usePalette } from './use-palette.tsx'
import { WorkspaceSwitcher } from './workspace-switcher.tsx'

const WIDE = '(min-width: 62em)'

/** The frame of every page, with the navigation at the side, or behind a button on narrow screens. */
export function Shell() {
  const isWide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false })
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const { open: search, isOpen: isSearching, palette } = usePalette()
  const main = useFocusOnNavigation(isSearching)
  const { organization } = useWorkspace()
  const path = useLocation({ select: ({ pathname }) => pathname })
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        Skip to the content
      </a>
      {isWide ? (
        <aside className={classes.side}>
          <SideContent onSearch={search} />
        </aside>
      ) : (
        <header className={classes.top}>
          <Brand />
          <Group gap="sm">
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              onClick={search}
              aria-label="Search"
              aria-keyshortcuts={PALETTE_KEYS}
            >
              <Search size={18} aria-hidden />
            </ActionIcon>
            <Burger
              opened={isOpen}
              onClick={toggle}
              size="sm"
              aria-label="Navigation"
              aria-expanded={isOpen}
            />
          </Group>
          <Drawer
            opened={isOpen}
            onClose={close}
            size="18rem"
            title={<Brand />}
            closeButtonProps={{ 'aria-label': 'Close the navigation' }}
            classNames={{ body: classes.drawer }}
          >
            <SideContent withoutBrand onNavigate={close} />
          </Drawer>
        </header>
      )}
      <main className={classes.main} id="main" ref={main} tabIndex={-1}>
        <div className={classes.page} key={organization.id} data-wide={path === '/memory'}>
          {path !== '/billing' && <PaymentBanner />}
          <Outlet />
        </div>
      </main>
      {palette}
    </div>
  )
}

function SideContent({
  withoutBrand = false,
  onNavigate,
  onSearch,
}: {
  withoutBrand?: boolean
  onNavigate?: () => void
  /** Omitted if search has another button. */
  onSearch?: () => void
}) {
  return (
    <>
      {!withoutBrand && (
        <div className={classes.brand}>
          <Brand />
        </div>
      )}
      <WorkspaceSwitcher />
      {onSearch && (
        <UnstyledButton className={classes.search} onClick={onSearch} aria-keyshortcuts={PALETTE_KEYS}>
          <Search size={15} aria-hidden />
          <span className={classes.searchLabel}>Search</span>
          <kbd className={classes.keys} aria-hidden>
            {PALETTE_SHORTCUT}
          </kbd>
        </UnstyledButton>
      )}
      <NavigationList {...(onNavigate ? { onNavigate } : {})} />
      <AccountMenu />
    </>
  )
}

/**
 * Moves the focus after navigation, for keyboard and screen reader users: to the field that the page opens with, or
 * to the heading. Leaves it to the palette while that is open.
 */
function useFocusOnNavigation(isTaken: boolean) {
  const main = useRef<HTMLElement>(null)
  const router = useRouter()
  const focus = useEffectEvent(() => {
    if (isTaken) return
    const field = main.current?.querySelector<HTMLElement>('[data-page-focus]')
    const isForTyping = field && matchMedia('(pointer: fine)').matches
    const heading = main.current?.querySelector('h1')
    if (heading) heading.tabIndex = -1
    const start = isForTyping ? field : (heading ?? main.current)
    start?.focus({ preventScroll: true })
  })
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation !== undefined && pathChanged) focus()
      }),
    [router],
  )
  return main
}
