/*
 * Detects whether stored text can answer a question. `weak-evidence.ts` compares the best score of a search with the
 * chance level and with a threshold of the model. `question-words.ts` compares words unless the score is high. For a
 * model without a measured threshold, `calibrate.ts` measures one with the organization's stored data.
 */
export { createEvidenceCalibrator, type EvidenceCalibrator } from './calibrate.ts'
export { canMissWords, isEnglish, isGreeting, lacksEvidence, unmentionedNames } from './question-words.ts'
export { createEvidenceCheck, evidenceOf, type EvidenceQuery } from './weak-evidence.ts'
