export { answer } from './arbitraries/answer.js'
export { type GeneratedRequest, type RequestOptions, request } from './arbitraries/request.js'
export { type ScenarioOptions, scenario } from './arbitraries/scenario.js'
export { type Step, type SteppedMock, step } from './arbitraries/step.js'
