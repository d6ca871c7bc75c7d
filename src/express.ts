export {
  createApp,
  type ExpressApp,
  type ExpressHandler,
  type ExpressRequest,
  type MockExpressOptions,
  mockExpress,
} from './http/express.js'
export { type Listening, listen } from './http/server.js'
export type { AppOptions, ListenOptions } from './options.js'
