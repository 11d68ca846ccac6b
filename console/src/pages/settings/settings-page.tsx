import { Stack } from '@mantine/core'
import { useWorkspace } from '../../session/workspace.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { AccountPanel } from './account-panel.tsx'
import { ExportPanel } from './export-panel.tsx'
import { LeavePanel } from './leave-panel.tsx'
import { ModelsPanel } from './models-panel.tsx'
import { PermissionsPanel } from './permissions-panel.tsx'
import { RemovalPanel } from './removal-panel.tsx'
import { RetentionPanel } from './retention-panel.tsx'
import { ServicePanel } from './service-panel.tsx'
import classes from './settings-page.module.css'
import { SECTIONS } from './settings-sections.ts'
import { useSectionInView } from './use-section-in-view.ts'
import { WorkspacePanel } from './workspace-panel.tsx'

/** The panels in order. Members can only view the workspace and leave it. */
const PANELS = [
  { ...SECTIONS.workspace, Content: WorkspacePanel, isFor: 'everyone' },
  { ...SECTIONS.permissions, Content: PermissionsPanel, isFor: 'admins' },
  { ...SECTIONS.service, Content: ServicePanel, isFor: 'everyone' },
  { ...SECTIONS.models, Content: ModelsPanel, isFor: 'admins' },
  { ...SECTIONS.retention, Content: RetentionPanel, isFor: 'everyone' },
  { ...SECTIONS.export, Content: ExportPanel, isFor: 'admins' },
  { ...SECTIONS.account, Content: AccountPanel, isFor: 'everyone' },
  { ...SECTIONS.leave, Content: LeavePanel, isFor: 'everyone' },
  { ...SECTIONS.removal, Content: RemovalPanel, isFor: 'owners' },
] as const

/** Settings of the workspace and of the signed-in user, with links to the sections. */
export function SettingsPage() {
  const { organization, isAdmin } = useWorkspace()
  const isShown = { everyone: true, admins: isAdmin, owners: organization.role === 'owner' }
  const panels = PANELS.filter(({ isFor }) => isShown[isFor])
  const current = useSectionInView(panels.map(({ id }) => id))
  return (
    <>
      <PageHeader title="Settings" text={`${organization.name}, the service and your account.`} />
      <div className={classes.page}>
        <nav aria-label="Sections" className={classes.sections}>
          <ul>
            {panels.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`} aria-current={id === current ? 'location' : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Stack gap="lg">
          {panels.map(({ id, Content }) => (
            <Content key={`${organization.id} ${id}`} />
          ))}
        </Stack>
      </div>
    </>
  )
}
