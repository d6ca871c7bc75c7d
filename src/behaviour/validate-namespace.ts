import {
  displayNameMaxBytes,
  identifierMaxBytes,
  isDisplayName,
  isIdentifier,
  utf8Length,
} from '../contract/formats.js'
import type { ValidationError } from '../contract/namespaces.js'
import type { OperationInput } from '../contract/operations.js'
import type { ReadTables } from '../store/table.js'
import type { Behaviour } from './behaviour.js'

/** Says what is wrong with the names of a namespace to be (PROTOCOL.md B5). */
export const validateNamespace: Behaviour<'games.namespaces.validateGameNamespace'> = ({ input, tables }) => ({
  errors: namespaceProblems(input, tables),
})

/** What is wrong with the names of a namespace to be; the problems add up, in this order (PROTOCOL.md B5). */
export function namespaceProblems(
  { display_name, name_id, game_id }: OperationInput<'games.namespaces.validateGameNamespace'>,
  tables: Pick<ReadTables, 'namespaces'>,
): ValidationError[] {
  const isNameId = isIdentifier(name_id)
  const taken = () => tables.namespaces.findFirst(q => q.where({ game_id, name_id })) !== undefined
  const problems = [
    display_name === '' && ['display-name', 'too-short'],
    utf8Length(display_name) > displayNameMaxBytes && ['display-name', 'too-long'],
    !isDisplayName(display_name) && ['display-name', 'invalid'],
    name_id === '' && ['name-id', 'too-short'],
    utf8Length(name_id) > identifierMaxBytes && ['name-id', 'too-long'],
    isNameId && taken() && ['name-id', 'not-unique'],
    !isNameId && ['name-id', 'invalid'],
  ]
  return problems.filter(path => path !== false).map(path => ({ path }))
}
