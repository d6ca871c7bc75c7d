import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

// Prints an SBOM of the package: only the libraries that are bundled in it, which the file of their licences names.
// Usage: npm sbom --sbom-format cyclonedx | node build/sbom.js <file of licences>

const licences = readFileSync(process.argv[2], 'utf8')
const bundled = new Set([...licences.matchAll(/^== (\S+) (\S+), /gm)].map(([, name, version]) => `${name}@${version}`))

const sbom = JSON.parse(await text(process.stdin))
// A package may be installed under another name. Its URL has its own.
const components = sbom.components.filter(({ purl }) =>
  bundled.delete(decodeURIComponent(purl.slice('pkg:npm/'.length))),
)
if (bundled.size > 0)
  throw new Error(`npm sbom does not name ${[...bundled].join(', ')}, whose licences the package has`)

const refs = new Set([sbom.metadata.component, ...components].map(one => one['bom-ref']))
const dependencies = sbom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(one => refs.has(one)) }))
process.stdout.write(`${JSON.stringify({ ...sbom, components, dependencies }, undefined, 2)}\n`)
