import { createTask, within } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import { type Clock, HOUR_MS } from '../kernel/clock.ts'
import { listWaitingReports, readOverageStatus, resolveReport } from './overage/overage-status.ts'
import type {
  WaitingReport,
  OverageStatus,
  Invoice,
  ComparisonStatus,
  RemarkedOrganization,
} from './schemas.ts'
import { type ReportDependencies, sendReports, deleteExpiredReports } from './overage/send-reports.ts'
import type { PaymentProcessor } from './payment-processor.ts'
import { listRemarked, readComparisonStatus } from './payments/comparison-status.ts'
import { createHostedPages, type HostedPages } from './payments/hosted-pages.ts'
import { listInvoices } from './payments/invoices.ts'
import { reconcile, deleteExpiredEvents } from './payments/reconciliation.ts'
import { createRefresh } from './payments/refresh.ts'
import { type CheckoutTerms, NOTHING_SOLD, readCheckoutTerms } from './payments/trial.ts'
import { createWebhook, type ReceiveWebhook } from './payments/webhook.ts'
import { whileNothingIsOwed } from './payments/while-nothing-is-owed.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions/subscriptions.ts'
import { readRoom, type Room } from './plans/plan-limits.ts'
import type { Logger } from '../kernel/logger.ts'

export interface BillingDependencies {
  db: Db
  clock: Clock
  logger: Logger
  /** null: the deployment has none, and its operator sets the plans. */
  processor: PaymentProcessor | null
  publicUrl: () => string
  sleep: (ms: number) => Promise<void>
  onReportAttempt: ReportDependencies['onAttempt']
  /** Called for a change at the payment processor that no event announced. */
  onUnannounced: () => void
}

export interface Billing {
  subscriptions: Subscriptions
  readRoom(organizationId: string): Promise<Room>
  readCheckoutTerms(organizationId: string): Promise<CheckoutTerms>
  /** null without a payment processor. */
  payments:
    | (HostedPages & {
        /** @throws AppError `upstream_error` */
        listInvoices(organizationId: string): Promise<Invoice[]>
        receiveWebhook: ReceiveWebhook
      })
    | null
  overage: {
    status(): Promise<OverageStatus>
    listWaiting(limit: number): Promise<WaitingReport[]>
    /** @returns whether such a report is waiting. */
    resolve(report: { organizationId: string; id: string; arrived: boolean }): Promise<boolean>
  }
  comparison: {
    status(): Promise<ComparisonStatus>
    /** Organizations that need the operator's attention, unreadable ones first. */
    listRemarked(limit: number): Promise<RemarkedOrganization[]>
  }
  /**
   * Runs `act` while the organization has neither a subscription at the payment processor nor uncharged answers.
   * @throws AppError `removal_refused`, `overloaded`, `upstream_error`, and errors of `act`
   */
  whileNothingIsOwed<T>(organizationId: string, act: () => Promise<T>): Promise<T>
  /** Starts reporting answers over the cap and comparing subscriptions; does nothing without a payment processor. */
  start(): void
  /** Compares and reports what is due now, including the answers of the last seconds. For tests, without `start`. */
  settle(): Promise<void>
  stop(): Promise<void>
}

const LOOK_MS = 1_000
const STOP_TIMEOUT_MS = 10_000
const DELETE_MS = HOUR_MS

/** Plans, subscriptions and their payment. */
export function createBilling(deps: BillingDependencies): Billing {
  const { db, clock, logger, processor } = deps
  const onError = (err: unknown): void => logger.error({ err }, 'a billing task failed; will retry')
  const shared: Omit<Billing, 'payments' | 'start' | 'settle' | 'stop'> = {
    subscriptions: createSubscriptions(deps),
    readRoom: (organizationId) => readRoom(db, organizationId),
    readCheckoutTerms: async (organizationId) =>
      processor ? await readCheckoutTerms(db, organizationId) : NOTHING_SOLD,
    overage: {
      status: () => readOverageStatus(db, clock.now()),
      listWaiting: (limit) => listWaitingReports(db, clock.now(), limit),
      resolve: (report) => resolveReport(db, report, clock.now()),
    },
    comparison: {
      status: () => readComparisonStatus(db, clock.now()),
      listRemarked: (limit) => listRemarked(db, limit),
    },
    whileNothingIsOwed: (organizationId, act) => whileNothingIsOwed(deps, organizationId, act),
  }
  if (!processor)
    return { ...shared, payments: null, start: () => {}, settle: async () => {}, stop: async () => {} }

  const refresh = createRefresh({ ...deps, processor })
  const reports: ReportDependencies = {
    db,
    clock,
    processor,
    onAttempt: deps.onReportAttempt,
    onError: (err, fields) =>
      logger.error({ err, ...fields }, 'answers over the cap could not be reported; will retry'),
  }
  const compare = (): Promise<void> => reconcile({ db, clock, refresh })
  const tasks = [
    createTask({ intervalMs: LOOK_MS, act: compare, onError }),
    createTask({ intervalMs: LOOK_MS, act: () => sendReports(reports, 'ended'), onError }),
    createTask({
      intervalMs: DELETE_MS,
      act: async () => {
        await deleteExpiredEvents(db, clock.now())
        await deleteExpiredReports(db, clock.now())
      },
      onError,
    }),
  ]
  return {
    ...shared,
    payments: {
      ...createHostedPages({ ...deps, processor }),
      listInvoices: (organizationId) => listInvoices({ db, processor }, organizationId),
      receiveWebhook: createWebhook({ db, clock, processor, refresh, logger }),
    },
    start() {
      for (const task of tasks) task.start()
    },
    async settle() {
      await compare()
      await sendReports(reports, 'open')
    },
    async stop() {
      // An unresponsive payment processor must not delay the shutdown: its calls are repeated later.
      await within(STOP_TIMEOUT_MS, Promise.all(tasks.map((task) => task.stop())))
    },
  }
}
