import * as z from 'zod'
import { errorStatus } from '../../src/core/contract/errors.js'
import type { OperationSpec } from '../../src/core/contract/operation.js'
import { operationIds, operations } from '../../src/core/contract/operations.js'
import { type Declaration, interfaceText, literals } from './type-declarations.js'
import { commentText, type Member, membersOf, type NameOf, typeText } from './type-text.js'

const specs = Object.entries(operations as Readonly<Record<string, OperationSpec>>)

/** The schemas in the answers and bodies of operations that have an id. */
export const components = new Map<string, z.ZodType>()
for (const [, { output, body }] of specs) for (const schema of [output, body]) if (schema) collectComponents(schema)

function collectComponents(schema: z.core.$ZodType): void {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') for (const field of Object.values(def.shape)) collectComponents(field)
  if (def.type === 'array') collectComponents(def.element)
  if (def.type === 'record') collectComponents(def.valueType)
  if (def.type === 'optional') collectComponents(def.innerType)
  const id = z.globalRegistry.get(schema)?.id
  if (id !== undefined) components.set(id, schema as z.ZodType)
}

/** `lobbies.list` is `LobbiesList`. */
function typeNameOf(id: string): string {
  return id.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Declares the inputs and outputs of operations, and the unions of their ids and error codes. */
export function operationTypes(nameOf: NameOf): Declaration[] {
  const parts = specs.map(([id, spec]) => ({ id, spec, input: inputShape(spec), name: typeNameOf(id) }))
  const shared = parts.flatMap(({ id, spec, input, name }): Declaration[] => {
    const inputText = () =>
      interfaceText(`${name}Input`, `The checked input of \`${id}\`.`, membersOf(input, { side: 'output', nameOf }))
    const { output } = spec
    const outputText = () =>
      output instanceof z.ZodObject
        ? interfaceText(
            `${name}Output`,
            `The answer of \`${id}\`.`,
            membersOf(output.shape, { side: 'output', nameOf }),
          )
        : `${commentText(`The answer of \`${id}\`.`)}export type ${name}Output = ${output ? typeText(output, { side: 'output', nameOf }) : 'undefined'}`
    const hasOutput = output !== undefined && nameOf(output, 'output') === undefined && !isEmpty(output)
    return [
      ...(Object.keys(input).length > 0 ? [{ name: `${name}Input`, text: inputText }] : []),
      ...(hasOutput ? [{ name: `${name}Output`, text: outputText }] : []),
    ]
  })
  const inputMap = parts.map(({ id, spec, input, name }) =>
    mapMember(id, spec, Object.keys(input).length > 0 ? `${name}Input` : 'object'),
  )
  const outputMap = parts.map(({ id, spec, name }) => {
    const { output } = spec
    if (!output) return mapMember(id, spec, 'undefined')
    return mapMember(
      id,
      spec,
      nameOf(output, 'output') ?? (isEmpty(output) ? 'Record<string, never>' : `${name}Output`),
    )
  })
  return [
    ...shared,
    {
      name: 'OperationInputs',
      text: () => interfaceText('OperationInputs', 'The checked input of each operation.', inputMap),
    },
    {
      name: 'OperationOutputs',
      text: () =>
        interfaceText('OperationOutputs', 'The answer of each operation. `undefined` is an empty body.', outputMap),
    },
    literals('OperationId', 'The id of an operation.', operationIds),
    literals('ErrorCode', 'The code of an error of the service.', Object.keys(errorStatus)),
  ]
}

function isEmpty(schema: z.ZodType): boolean {
  return schema instanceof z.ZodObject && Object.keys(schema.shape).length === 0
}

function mapMember(key: string, { summary }: OperationSpec, type: string): Member {
  return { key, type, isOptional: false, doc: summary }
}

function inputShape({ params, query, headers, body, jsonBody }: OperationSpec): Record<string, z.core.$ZodType> {
  return {
    ...params?.shape,
    ...query?.shape,
    ...headers?.shape,
    ...body?.shape,
    ...(jsonBody ? { jsonBody } : {}),
  }
}
