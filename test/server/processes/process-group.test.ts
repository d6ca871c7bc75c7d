import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { endGroup, isGroupAlive } from '../../../src/server/processes/process-group.js'

/** Starts a shell in a group of its own. It prints a line, and exits. */
async function exitedShell(command: string): Promise<ChildProcess> {
  const child = spawn('sh', ['-c', `${command}\necho`], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => endGroup(child, 0))
  await once(child, 'exit')
  return child
}

describe.skipIf(process.platform === 'win32')('a group of processes whose shell has exited', () => {
  it('is alive while another process of it runs', async () => {
    expect(isGroupAlive(await exitedShell('sleep 60 >/dev/null &'))).toBe(true)
  })

  it('is gone if it has only dead processes that nobody has reaped', async () => {
    const child = await exitedShell('true')
    // The system finds dead processes too.
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
    const isAlive = isGroupAlive(child)
    kill.mockRestore()

    expect(isAlive).toBe(process.platform !== 'linux')
  })
})
