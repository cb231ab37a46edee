export { type FlowOptions, FunctionFlow } from './function-flow.js';
export type { FlowMethod, FlowSnapshot, FlowStepEvent } from './position.js';
export { type FlowEntry, type FlowFunction, type FlowStep, FlowTimeoutError, type LoopLib } from './steps.js';
