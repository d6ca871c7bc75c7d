export type { AppOptions, ListenOptions } from '../../core/mock/options.js'
export {
  createApp,
  type ExpressApp,
  type ExpressHandler,
  type ExpressRequest,
  type MockExpressOptions,
  mockExpress,
} from './express.js'
export { type Listening, listen } from './server.js'
