export { startGoogleEmulator, type GoogleEmulator, type GoogleEmulatorOptions } from './google-emulator.ts'
export type { DriveState } from './drive-state.ts'
export type { MailState } from './mail-state.ts'
