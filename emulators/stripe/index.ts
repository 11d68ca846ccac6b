export {
  startStripeEmulator,
  type StripeEmulator,
  type StripeEmulatorOptions,
} from './start-stripe-emulator.ts'
