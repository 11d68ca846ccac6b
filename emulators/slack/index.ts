export { startSlackEmulator, type SlackEmulator, type SlackEmulatorOptions } from './start-slack-emulator.ts'
