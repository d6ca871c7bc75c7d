import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { readScenarioIfThere } from '../../../src/server/files/scenario-file.js'
import { file } from '../../support/command.js'

/** Deletes a file and writes it again, until the thread is ended. */
const replacing = `
  import { rmSync, writeFileSync } from 'node:fs'
  import { parentPort, workerData } from 'node:worker_threads'
  parentPort.postMessage('begins')
  for (;;) {
    rmSync(workerData)
    writeFileSync(workerData, 'game_modes: [duel]')
  }`

it('a scenario file that is deleted and written in turn can be read at any moment', async () => {
  const path = await file('duel.yaml', 'game_modes: [duel]')
  const source = new URL(`data:text/javascript,${encodeURIComponent(replacing)}`)
  const worker = new Worker(source, { workerData: path })
  onTestFinished(async () => void (await worker.terminate()))
  await once(worker, 'message')
  const reads = { missing: 0, there: 0 }

  while (Math.min(reads.missing, reads.there) < 1_000)
    reads[readScenarioIfThere(path) === undefined ? 'missing' : 'there'] += 1

  expect(Math.min(reads.missing, reads.there)).toBe(1_000)
})
