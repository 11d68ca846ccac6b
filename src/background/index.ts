export { createDatabaseClock, measureClockLag } from './database-clock.ts'
export {
  acquireLease,
  isLeaseFree,
  type Lease,
  leaseEnd,
  LeaseLost,
  NO_LEASE,
  releaseLease,
  releaseLeases,
  renewLease,
  requireLease,
  updateHeld,
} from './leases.ts'
export { createTask, type Task } from './task.ts'
export { within } from './within.ts'
