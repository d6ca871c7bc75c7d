import scenario from './scenario.json'

/** Next calls this once, before its server answers requests. */
export async function register() {
  if (process.env.MOCK === 'in-process' && process.env.NEXT_RUNTIME === 'nodejs') {
    const { setupMockmaker } = await import('mockmaker/node')
    setupMockmaker({ scenario, baseUrl: process.env.MATCHMAKER_URL }).listen({ onUnhandledRequest: 'bypass' })
  }
}
