import type { ScenarioInput } from '../../core/scenario/schema.js'
import { scenarios } from '../../core/scenario/shipped.js'
import { loadScenarioSync, readScenarioText } from '../../server/files/scenario-file.js'
import { ScenarioCache } from '../scenario-cache.js'

/** The scenarios of the tests of one file. Each is read and checked once. */
export class PageScenarios {
  readonly #cache = new ScenarioCache()
  /** Parsed files, by path and text. */
  readonly #files = new Map<string, ScenarioInput>()
  #testFile: string | undefined

  readonly registry = this.#cache.registry

  /** Forgets the scenarios of another file of tests, so that a long run keeps few of them. */
  begin(testFile: string): void {
    if (this.#testFile !== testFile) {
      this.#cache.clear()
      this.#files.clear()
    }
    this.#testFile = testFile
  }

  /** Loads a shipped scenario by name, or a file by path. Parses a file again if it has changed. Throws `UsageError`. */
  load(nameOrPath: string): ScenarioInput {
    if (Object.hasOwn(scenarios, nameOrPath)) return loadScenarioSync(nameOrPath)
    const key = JSON.stringify([nameOrPath, readScenarioText(nameOrPath)])
    const known = this.#files.get(key) ?? loadScenarioSync(nameOrPath)
    this.#files.set(key, known)
    return known
  }
}
