export { createApp, type MockExpressOptions, mockExpress } from './http/express.js'
export { type Listening, type ListenOptions, listen } from './http/listen.js'
export type { AppOptions } from './http/listener.js'
