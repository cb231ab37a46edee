export { Echo, type EchoMessage, type EchoMessageType, echo } from './echo.js';
