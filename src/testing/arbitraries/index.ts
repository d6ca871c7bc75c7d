export { answer } from './operations.js'
export { type GeneratedRequest, type RequestOptions, request } from './request.js'
export { type ScenarioOptions, scenario } from './scenario.js'
export { type Step, type SteppedMock, step } from './step.js'
