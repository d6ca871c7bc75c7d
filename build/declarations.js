import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

// The built declarations name internals and libraries that no user needs. This removes them.

/**
 * Keeps the declarations in a folder that the entry points export, and those that these refer to. Removes all others and their
 * imports, and files without a declaration. Returns the packages that the rest imports.
 */
export function pruneDeclarations(folder, entries) {
  const files = readdirSync(folder, { recursive: true }).filter(file => file.endsWith('.d.ts'))
  const program = new Program(files.map(file => join(folder, file)))
  for (const entry of entries) {
    const file = join(folder, entry)
    for (const name of program.exportsOf(file)) for (const meaning of meanings) program.keep(file, [name], meaning)
  }
  for (const [file, statements] of program.modules) {
    const text = statements
      .map(keptText)
      .filter(part => part !== '')
      .join('\n')
    if (text === '' && !entries.some(entry => join(folder, entry) === file)) rmSync(file)
    else writeFileSync(file, `${text || 'export {};'}\n`)
  }
  return [...program.packages].sort()
}

/** What a name may mean. A schema and its type have the same name. */
const meanings = ['type', 'value']

/** All modules, and what is kept of them. */
class Program {
  packages = new Set()
  #done = new Set()
  #reached = new Set()

  constructor(files) {
    this.modules = new Map(files.map(file => [file, readStatements(file)]))
  }

  exportsOf(file) {
    return this.#statements(file).flatMap(({ exports, star }) => (star ? this.exportsOf(star.file) : exports))
  }

  /**
   * Keeps the declarations of a name. Looks among the exports of a module, or among all of its names if `isInside`. The path
   * `['types', 'LobbyRow']` is a name in a namespace.
   */
  keep(file, path, meaning, isInside = false) {
    const key = [file, meaning, isInside, ...path].join(' ')
    if (this.#done.has(key)) return
    this.#done.add(key)
    if (!this.#reached.has(file)) this.#reach(file)
    for (const statement of this.#statements(file))
      if (isInside || statement.node.type !== 'ImportDeclaration') this.#keepIn(statement, { file, path, meaning })
  }

  /** Keeps what has an effect without a name: `declare module 'vitest'`, and `import 'vitest'`. */
  #reach(file) {
    this.#reached.add(file)
    for (const statement of this.#statements(file)) {
      if (!statement.isEffect) continue
      statement.kept.add('')
      for (const reference of referencesIn(statement.node, file)) this.#follow(file, reference)
    }
  }

  #keepIn(statement, { file, path: [name, ...rest], meaning }) {
    const { node, declares, links, star } = statement
    if (declares.includes(name) && statement.meanings.includes(meaning)) {
      if (!statement.kept.has(name)) for (const reference of referencesIn(node, file)) this.#follow(file, reference)
      statement.kept.add(name)
    }
    const link = links.find(({ local }) => local === name)
    if (link && !(link.isType && meaning === 'value')) {
      statement.kept.add(name)
      this.#follow(file, { from: link.from, path: link.name === '*' ? rest : [link.name, ...rest], meaning })
    }
    if (star && this.exportsOf(star.file).includes(name)) {
      statement.kept.add(name)
      this.keep(star.file, [name, ...rest], meaning)
    }
  }

  #follow(file, { from, path, meaning }) {
    if (from?.package) this.packages.add(from.package)
    else if (from) this.keep(from.file, path, meaning)
    else this.keep(file, path, meaning, true)
  }

  #statements(file) {
    const statements = this.modules.get(file)
    if (!statements) throw new Error(`${file} does not exist`)
    return statements
  }
}

/** Reads the statements of a module: the names that each declares, exports, or links to another module. */
function readStatements(file) {
  const text = readFileSync(file, 'utf8')
  let end = 0
  return parseAst(text, { lang: 'dts' }, file).body.map(node => {
    const statement = {
      // With the comments before it.
      text: text.slice(end, node.end).trim(),
      node,
      kept: new Set(),
      declares: [],
      meanings: [],
      exports: [],
      links: [],
      ...contentOf(node, file),
    }
    end = node.end
    return statement
  })
}

function contentOf(node, file) {
  const from = node.source ? targetOf(node.source.value, file) : undefined
  switch (node.type) {
    case 'ImportDeclaration':
      if (node.specifiers.length === 0) return { isEffect: true }
      return { links: node.specifiers.map(specifier => ({ from, ...importLink(specifier) })) }
    case 'ExportAllDeclaration':
      return { star: from }
    case 'ExportNamedDeclaration': {
      if (!node.declaration) {
        const links = node.specifiers.map(({ local, exported, exportKind }) => ({
          from,
          name: local.name,
          local: exported.name,
          isType: exportKind === 'type' || node.exportKind === 'type',
        }))
        return { links, exports: links.map(({ local }) => local) }
      }
      const content = contentOf(node.declaration, file)
      return { ...content, exports: content.declares }
    }
    case 'ExportDefaultDeclaration':
      return { links: [{ name: node.declaration.name, local: 'default' }], exports: ['default'] }
    case 'VariableDeclaration':
      return { declares: node.declarations.map(({ id }) => id.name), meanings: ['value'] }
    case 'TSDeclareFunction':
      return { declares: [node.id.name], meanings: ['value'] }
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return { declares: [node.id.name], meanings: ['type'] }
    case 'ClassDeclaration':
      return { declares: [node.id.name], meanings }
    case 'TSModuleDeclaration':
    case 'TSGlobalDeclaration':
      return { isEffect: true }
    default:
      throw new Error(`${file}: ${node.type} is unknown here`)
  }
}

function importLink({ type, imported, local }) {
  const names = { ImportNamespaceSpecifier: '*', ImportDefaultSpecifier: 'default' }
  return { name: names[type] ?? imported.name, local: local.name }
}

/** Returns the declarations of an imported module, or the package that has them. */
function targetOf(specifier, file) {
  if (!specifier.startsWith('.')) return { package: specifier }
  return { file: join(dirname(file), specifier.replace(/\.js$/, '.d.ts')) }
}

/** Returns the names that a declaration refers to. */
function referencesIn(node, file) {
  if (Array.isArray(node)) return node.flatMap(one => referencesIn(one, file))
  if (typeof node !== 'object' || node === null) return []
  const inside = Object.values(node).flatMap(one => referencesIn(one, file))
  switch (node.type) {
    case 'TSTypeReference':
      return [{ path: pathOf(node.typeName), meaning: 'type' }, ...inside]
    case 'TSTypeQuery':
      if (node.exprName.type === 'TSImportType') return inside.map(reference => ({ ...reference, meaning: 'value' }))
      return [{ path: pathOf(node.exprName), meaning: 'value' }, ...inside]
    case 'TSInterfaceHeritage':
    case 'TSClassImplements':
      return [{ path: pathOf(node.expression), meaning: 'type' }, ...inside]
    case 'ClassDeclaration':
      return node.superClass ? [{ path: pathOf(node.superClass), meaning: 'value' }, ...inside] : inside
    case 'TSImportType': {
      const from = targetOf(node.source.value, file)
      const path = node.qualifier ? pathOf(node.qualifier) : []
      return [{ from, path, meaning: 'type' }, ...inside]
    }
    default:
      return inside
  }
}

/** Returns the names in `types.LobbyRow`. */
function pathOf(node) {
  if (node.type === 'TSQualifiedName') return [...pathOf(node.left), node.right.name]
  if (node.type === 'MemberExpression') return [...pathOf(node.object), node.property.name]
  return [node.name]
}

/** Returns what is kept of a statement. */
function keptText({ text, node, kept, links }) {
  if (kept.size === 0) return ''
  const isWhole = node.type === 'ExportDefaultDeclaration' || links.some(({ name }) => name === '*')
  if (links.length === 0 || isWhole) return text
  const isType = node.importKind === 'type' || node.exportKind === 'type'
  const names = links
    .filter(({ local }) => kept.has(local))
    .map(link => {
      const { name, local } = link
      // A class that is exported as a type is no value.
      return `${link.isType && !isType ? 'type ' : ''}${name === local ? name : `${name} as ${local}`}`
    })
  const verb = `${node.type === 'ImportDeclaration' ? 'import' : 'export'}${isType ? ' type' : ''}`
  return `${verb} { ${names.join(', ')} }${node.source ? ` from '${node.source.value}'` : ''};`
}
