export { answer } from './answer.js'
export { type GeneratedRequest, type RequestOptions, request } from './request.js'
export { type ScenarioOptions, scenario } from './scenario.js'
export { type Step, type SteppedMock, step } from './step.js'
