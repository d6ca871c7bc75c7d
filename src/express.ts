export { createApp, type MockExpressOptions, mockExpress } from './http/express.js'
export type { AppOptions } from './http/server.js'
export { type Listening, type ListenOptions, listen } from './http/server.js'
