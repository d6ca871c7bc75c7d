import { annotations, type MockmakerAddon } from './annotations.js'

/**
 * Gives each story a mock: `definePreview({ addons: [mockmaker()] })`. With a preview in another format, list
 * `mockmaker/storybook` in the `addons` of .storybook/main instead.
 */
export function mockmaker(): MockmakerAddon {
  return annotations
}

/** Storybook expects an addon as the default export. @alias tells knip that both exports are wanted. */
export default mockmaker
export type { ShippedScenario } from '../../core/scenario/schema.js'
export type { MockmakerAddon, MockmakerTypes, StoryMock } from './annotations.js'
export type { StoryParameters } from './parameters.js'
