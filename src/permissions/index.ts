export { type ItemOrigin, principalsOfPolicy } from './access-policy.ts'
export { internPolicies, NOBODY_ID } from './intern-policies.ts'
export { mayBeRead } from './readable-items.ts'
export { createViewers } from './viewers.ts'
