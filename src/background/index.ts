export { createDatabaseClock, type DatabaseClock, measureClockLag } from './database-clock.ts'
export { keepLease } from './keep-lease.ts'
export {
  acquireLease,
  isLeaseFree,
  type Lease,
  leaseEnd,
  LeaseLost,
  NO_LEASE,
  releaseLease,
  releaseAllLeases,
  renewLease,
  requireLease,
  updateHeld,
} from './leases.ts'
export { createTask, type Task } from './task.ts'
export { within } from './within.ts'
