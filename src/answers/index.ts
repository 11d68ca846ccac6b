export { createReadAround } from './read-around.ts'
export { type Answer, type AnswerEvent, type Answers, type ContextItem, createAnswers } from './answers.ts'
export { answerRoutes, type AnswerServices, type Question } from './routes.ts'
