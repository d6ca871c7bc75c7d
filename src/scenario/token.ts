import { Token as AnyToken } from '../store/id.js'

/** A token as the scenario names it. */
export const Token = AnyToken.meta({
  description: 'A token as it is sent. Default: from the seed.',
  examples: ['cloud.mock.desk'],
})
