import { type Plugin, RolldownMagicString } from 'rolldown'
import { parseSync, Visitor } from 'rolldown/utils'

// What makes the bundles of the library, of the command and of the page smaller, and faster to load.

/**
 * Tells that the lists of texts in faker, its objects and its tests of `Buffer` have no side effect. Otherwise rolldown keeps all
 * lists, which are 75 KB, each process makes a faker that nobody uses, and Parcel adds a polyfill to the user's project.
 */
export function pureFaker(): Plugin {
  return {
    name: 'pure-faker',
    transform: {
      filter: { id: /\/@faker-js\/faker\// },
      handler(code, id) {
        const marked = new RolldownMagicString(code)
        const visitor = new Visitor({
          CallExpression({ callee, start, end }) {
            const isSplit = callee.type === 'MemberExpression' && callee.object.type === 'TemplateLiteral'
            const testsBuffer = /^\w+\(`base64(url)?`\)$/.test(code.slice(start, end))
            if (isSplit || testsBuffer) marked.prependLeft(start, '/* @__PURE__ */')
          },
          NewExpression: ({ start }) => void marked.prependLeft(start, '/* @__PURE__ */'),
        })
        visitor.visit(parseSync(id, code).program)
        return { code: marked }
      },
    },
  }
}

/**
 * Removes descriptions, defaults and examples from schemas that only `npm run generate` asks for them. Each is a copy of its
 * schema, made when a process starts. `all`: also those of the operations, which only OpenAPI needs.
 */
export function withoutDescriptions(of: 'all' | 'hidden' = 'hidden'): Plugin {
  return {
    name: 'without-descriptions',
    transform: {
      filter: {
        id: of === 'all' ? /\/src\/core\// : /\/src\/core\/((lib|store|scenario)\/|contract\/(faults|journal)\.ts$)/,
      },
      handler(code, id) {
        const kept = new RolldownMagicString(code)
        const visitor = new Visitor({
          CallExpression({ callee, end }) {
            if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
            if (['meta', 'describe'].includes(callee.property.name)) kept.remove(callee.object.end, end)
          },
        })
        visitor.visit(parseSync(id, code).program)
        return { code: kept }
      },
    },
  }
}

/** Lets zod compile no code in a page: a strict content security policy reports each try. */
export function noEvalInPages(): Plugin {
  return {
    name: 'no-eval-in-pages',
    transform: {
      filter: { id: /\/zod\/v4\/core\/util\.js$/ },
      handler(code) {
        const at = code.indexOf('globalConfig.jitless)')
        if (at === -1) throw new Error('zod asks in another way whether it can compile code')
        return { code: new RolldownMagicString(code).prependLeft(at, "'document' in globalThis || ") }
      },
    },
  }
}

/** Leaves the stacks of errors as they are: the page shows their messages only. */
export function plainStacks(): Plugin {
  return {
    name: 'plain-stacks',
    load: {
      filter: { id: /\/src\/core\/lib\/caller-stack\.ts$/ },
      handler: () => 'export const beginAtCaller = error => error',
    },
  }
}

/** Begins a line with each statement and each method: Node prints the whole line of an error that nobody catches. */
export function shortLines(): Plugin {
  return {
    name: 'short-lines',
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        const starts = [0]
        const add = ({ body }: { readonly body: readonly { readonly start: number }[] }) => {
          for (const { start } of body) starts.push(start)
        }
        new Visitor({ Program: add, BlockStatement: add, ClassBody: add }).visit(
          parseSync(chunk.fileName, chunk.code).program,
        )
        const lines = [...new Set(starts)].sort((one, other) => one - other)
        chunk.code = lines.map((start, i) => chunk.code.slice(start, lines[i + 1])).join('\n')
      }
    },
  }
}
