// Storybook loads this module for `addons: ['mockmaker/storybook']`.
export { annotations as default } from './annotations.js'
