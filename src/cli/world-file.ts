import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scenarioText } from '../files/scenario-file.js'
import { asWriteError, UsageError } from '../lib/usage-error.js'
import { runInSlices } from '../store/timers.js'
import type { KeyWorld } from './key-world.js'

/** The most files that are tried before the user has to tidy up. */
const mostFiles = 1_000

/**
 * Writes the world, its faults and its journal to a new file in a folder, as a scenario. Returns the name of the file:
 * `mockmaker-world.yaml`, or `mockmaker-world-2.yaml` if that exists. Rejects with `UsageError` if it cannot be written.
 */
export async function writeWorldFile(world: Pick<KeyWorld, 'snapshot'>, folder: string): Promise<string> {
  const json = JSON.stringify(await world.snapshot({ with: ['faults', 'journal'] }))
  const text = await runInSlices(scenarioText(json))
  for (let number = 1; number <= mostFiles; number += 1) {
    const name = number === 1 ? 'mockmaker-world.yaml' : `mockmaker-world-${number}.yaml`
    if (await writeNewFile(join(folder, name), text)) return name
  }
  throw new UsageError(`${folder} has ${mostFiles} exported worlds: delete or move some of its mockmaker-world files`)
}

/** Returns `false` if the file exists. */
async function writeNewFile(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false // only the system throws here
    throw asWriteError(error, path)
  }
}
