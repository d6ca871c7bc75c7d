import type { PortTaken } from '../express/bind.js'
import { UsageError } from '../lib/usage-error.js'

/** How long a port's occupant may take to say who it is, in ms. */
const patienceMs = 1_000

/** The error of a port that is taken; if another mockmaker has it, it says which scenario that serves. */
export async function occupant(taken: PortTaken): Promise<UsageError> {
  const scenario = await scenarioServedAt(taken).catch(() => undefined)
  if (scenario === undefined) return taken
  return new UsageError(`${taken.message}\nIt is another mockmaker, which serves ${JSON.stringify(scenario)}.`)
}

async function scenarioServedAt({ host, port }: PortTaken): Promise<string | undefined> {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  const impatience = new AbortController()
  // `AbortSignal.timeout` does not keep the process alive, and neither does a connection that was closed without an answer.
  const timer = setTimeout(() => impatience.abort(), patienceMs)
  try {
    const answer = await fetch(`http://${name}:${port}/`, {
      headers: { accept: 'application/json' },
      signal: impatience.signal,
      redirect: 'error',
    })
    // Whoever listens there may answer anything.
    const page = (await answer.json()) as { readonly name?: unknown; readonly scenario?: unknown }
    return page.name === 'mockmaker' ? String(page.scenario) : undefined
  } finally {
    clearTimeout(timer)
  }
}
