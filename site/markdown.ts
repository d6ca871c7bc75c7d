import { existsSync, statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { demos as allDemos } from './demos.js'
import { addressOf } from './pages.js'

// Plugins of remark.

/** The parts of a node that these plugins use. */
interface Node {
  type: string
  url?: string
  value?: string
  children?: Node[]
}

interface Options {
  /** The folder of the repository. */
  readonly root: string
  /** The URL of the repository. Without one, links to files that the site does not have become plain text. */
  readonly repository: string | undefined
}

/** Resolves the links that Rspress leaves as they are, since they lead out of docs/. Throws for one that leads nowhere. */
export function links({ root, repository }: Options) {
  return (tree: Node, file: { readonly path: string }) => {
    for (const node of nodesIn(tree)) {
      if (node.type !== 'link' || !node.url || /^(\w+:|[/#])/.test(node.url)) continue
      const [path = '', anchor] = node.url.split('#')
      const target = resolve(dirname(file.path), path)
      if (!existsSync(target)) throw new Error(`dead link to ${node.url} in ${nameOf(file.path, root)}`)
      const name = nameOf(target, root)
      const address = addressOf(name)
      if (address) node.url = anchor === undefined ? address : `${address}#${anchor}`
      else if (repository) node.url = `${repository}/${statSync(target).isDirectory() ? 'tree' : 'blob'}/HEAD/${name}`
      else Object.assign(node, { type: 'emphasis', data: { hName: 'span' } })
    }
  }
}

/** Puts a demo in the place of a comment such as `<!--try:find-->`, which GitHub does not show. Throws for an unknown one. */
export function demos({ root }: Options) {
  return (tree: Node, file: { readonly path: string }) => {
    for (const node of nodesIn(tree)) {
      const [, name] = /^<!--try:(.*)-->$/.exec(node.type === 'html' ? (node.value ?? '') : '') ?? []
      if (name === undefined) continue
      const demo = Object.entries(allDemos).find(([known]) => known === name)?.[1]
      if (!demo) throw new Error(`there is no demo ${name} for ${nameOf(file.path, root)}: see site/demos.js`)
      const props = Object.entries({ name, open: demo.open, say: demo.say })
      const attributes = props.map(([prop, value]) => ({ type: 'mdxJsxAttribute', name: prop, value }))
      Object.assign(node, { type: 'mdxJsxFlowElement', name: 'Try', attributes, children: [] })
    }
  }
}

/** Returns the path of a file in the repository, with slashes. */
function nameOf(path: string, root: string): string {
  return relative(root, path).replaceAll('\\', '/')
}

function* nodesIn(node: Node): Generator<Node> {
  yield node
  for (const child of node.children ?? []) yield* nodesIn(child)
}
