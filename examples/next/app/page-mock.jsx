'use client'

import { useEffect, useState } from 'react'
import scenario from '../scenario.json'

let started

async function start() {
  // A build leaves out what this condition excludes.
  if (process.env.MOCK === 'in-process') {
    const { setupMockmaker } = await import('mockmaker/browser')
    const mock = setupMockmaker({ scenario, baseUrl: process.env.MATCHMAKER_URL })
    await mock.listen({ onUnhandledRequest: 'bypass' })
  }
}

/** Shows its children once the mock of the page answers. Without a mock, it shows them at once. */
export function PageMock({ children }) {
  const [isReady, setIsReady] = useState(process.env.MOCK !== 'in-process')
  useEffect(() => {
    // React runs effects twice during development.
    started ??= start()
    started.then(() => setIsReady(true))
  }, [])
  return isReady ? children : null
}
