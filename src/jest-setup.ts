// @ts-expect-error: Jest itself has this module
import { expect } from '@jest/globals'
import { onIsolatedFailure } from './isolation.js'
import { matchers } from './testing/matchers.js'
import { reportRequests } from './testing/report.js'

expect.extend(matchers)

onIsolatedFailure((error, own) => {
  if (error instanceof Error || isErrorOfOtherRealm(error)) addToMessage(error, reportRequests(own))
})

/** Jest runs each test file in a realm of its own, and errors of Node come from outside. */
function isErrorOfOtherRealm(error: unknown): error is Error {
  return Object.prototype.toString.call(error) === '[object Error]'
}

/** Jest prints the stack, which begins with the message. */
function addToMessage(error: Error, report: string): void {
  const { message, stack = '' } = error
  const end = stack.indexOf(message) + message.length
  error.message = `${message}\n\n${report}`
  if (stack.includes(message)) error.stack = `${stack.slice(0, end)}\n\n${report}${stack.slice(end)}`
}
