export { createEvidenceCalibrator, type EvidenceCalibrator } from './calibrate.ts'
export { findKept, type Kept } from './store.ts'
