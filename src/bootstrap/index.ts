export { ensureLocalWorkspace, findLocalWorkspace } from './local-workspace.ts'
