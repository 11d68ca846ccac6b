export {
  startNotionEmulator,
  type NotionEmulator,
  type NotionEmulatorOptions,
} from './start-notion-emulator.ts'
