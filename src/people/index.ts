export { groupRoutes } from './group-routes.ts'
export { createGroups } from './groups.ts'
export { clearMembers, principalsOfSource, readMembers, setMembers } from './principal-members.ts'
export { deactivatedIn, type Principals, principalsOf } from './principals-of.ts'
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
export { createScimGroups } from './scim/groups.ts'
export { scimRoutes } from './scim/routes.ts'
export { scimTokenRoutes } from './scim/token-routes.ts'
export { authenticateScim, createScimTokens } from './scim/tokens.ts'
export { createScimUsers } from './scim/users.ts'
export { bumpPermissions, changePeople } from './revision.ts'
