export { defineScenario } from './scenario/define.js'
export type { ScenarioInput } from './scenario/schema.js'
export { scenarios } from './scenario/shipped.js'
export { parseScenario } from './scenario/yaml.js'
