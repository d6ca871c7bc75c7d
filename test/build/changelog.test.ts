import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { describeCalls } from '../../src/core/control/api.js'

/** A line for each public declaration and each control call: its name, and a digest of what it takes and returns. */
const recorded = 'test/build/public-interface.txt'

/** The kinds of changes of Keep a Changelog. */
const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8)

/** Matches the name of a declaration: `LobbyRow`, or `'vitest'` for `declare module 'vitest'`. */
const declaration =
  /^(?:export |declare |abstract )*(?:(?:interface|type|class|const|function|module) ([\w$'/@-]+)|(global))/

/** Returns the declarations of a built file by their names, without comments. */
function declarationsIn(file: string): (readonly [name: string, text: string])[] {
  const text = readFileSync(file, 'utf8')
    .replace(/\/\*\*.*?\*\//gs, '')
    .replace(/\s+$/gm, '')
  return text.split(/^(?=(?:export|declare|interface|type|class)\b)/m).flatMap(statement => {
    const [, name, global] = declaration.exec(statement) ?? []
    return name || global ? [[name ?? 'global', statement] as const] : []
  })
}

/** Returns the names that each entry point passes on, by the import path of a user. */
function entryPoints(): (readonly [name: string, text: string])[] {
  return Object.entries(manifest.exports).map(([path, entry]) => {
    const file = typeof entry === 'object' ? entry.types : entry
    const lines = file.endsWith('.d.ts')
      ? (readFileSync(file, 'utf8').match(/^export .*(?:\{[^}]*\}|\*).*$/gm) ?? [])
      : []
    return [path.replace('.', manifest.name), lines.join('\n')] as const
  })
}

/** Returns the lines of the record, as the public interface is now. */
function publicInterface(): string[] {
  const files = readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.d.ts'))
  const declared = files.flatMap(file => declarationsIn(join('dist', file)))
  const calls = describeCalls().map(
    ({ summary, ...call }) => [`${call.method} ${call.path}`, JSON.stringify(call)] as const,
  )
  return [...entryPoints(), ...declared, ...calls].map(([name, text]) => `${name} ${digestOf(text)}`).sort()
}

/** Returns the names in lines that one list has and the other lacks. */
function changedNames(before: readonly string[], now: readonly string[]): string[] {
  const lines = [...now.filter(line => !before.includes(line)), ...before.filter(line => !now.includes(line))]
  return [...new Set(lines.map(line => line.replace(/ \w+$/, '')))].sort()
}

describe('CHANGELOG.md', () => {
  it('has a record of the public interface, so that no change goes without an entry', async () => {
    const before = existsSync(recorded) ? readFileSync(recorded, 'utf8').trimEnd().split('\n') : []
    const now = publicInterface()
    const advice = `the public declarations or the control API changed: ${changedNames(before, now).join(', ')}.
1. If a user can notice it, add a line to the part Unreleased of CHANGELOG.md.
2. Run \`npm run changelog\`, which writes ${recorded}, and commit both files.
After a merge, step 2 is enough.
`

    await expect(`${now.join('\n')}\n`, advice).toMatchFileSnapshot(`../../${recorded}`)
  })

  it('begins with what is not released, followed by the version of the package', () => {
    const titles = readFileSync('CHANGELOG.md', 'utf8').match(/^## .*$/gm)

    expect(titles?.slice(0, 2)).toEqual(['## Unreleased', expect.stringContaining(`## ${manifest.version}`)])
  })

  it('has entries below the kinds of changes that Keep a Changelog knows', () => {
    const parts = readFileSync('CHANGELOG.md', 'utf8').match(/^### .*$/gm) ?? []

    expect(parts.filter(part => !kinds.includes(part.slice('### '.length)))).toEqual([])
  })
})
