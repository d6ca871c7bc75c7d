export { createApp, type MockExpressOptions, mockExpress } from './http/express.js'
export { type Listening, type ListenOptions, listen } from './http/listen.js'
export type { AppOptions, ServedMock } from './http/listener.js'
