export { principalsOf } from './principals-of.ts'
export {
  domainPrincipal,
  EVERYONE,
  foldAddress,
  groupPrincipal,
  MEMBER,
  sourceGroupPrincipal,
  sourcePrincipal,
  userPrincipal,
} from './principals.ts'
export { bumpPermissions } from './revision.ts'
