/*
 * Whether anything stored answers a question. `weak-evidence.ts` compares the best score of a search with what
 * chance allows and with a threshold of the model. `question-words.ts` compares words if that is inconclusive.
 * For a model without a measured threshold, `calibrate.ts` measures one over what an organization has stored.
 */
export { createEvidenceCalibrator, type EvidenceCalibrator } from './calibrate.ts'
export { canMissWords, missingWords, unmentionedNames } from './question-words.ts'
export { createEvidenceCheck, evidenceOf } from './weak-evidence.ts'
