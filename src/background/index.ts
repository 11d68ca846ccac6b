export { isLeaseFree, leaseEnd } from './lease.ts'
export { createTask, type Task } from './task.ts'
export { within } from './within.ts'
