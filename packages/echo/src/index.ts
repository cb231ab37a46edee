export { Echo, type EchoMessage, type EchoMessageType, echo } from './echo.js';
export type { QuestionOptions } from './question.js';
