import { execFileSync } from 'node:child_process'
import * as z from 'zod'
import * as errors from '../../src/core/contract/errors.js'
import * as faults from '../../src/core/contract/faults.js'
import * as formats from '../../src/core/contract/formats.js'
import * as journal from '../../src/core/contract/journal.js'
import * as namespaces from '../../src/core/contract/namespaces.js'
import * as contractRegions from '../../src/core/contract/regions.js'
import { warningRules } from '../../src/core/contract/warnings.js'
import * as deviceLinks from '../../src/core/control/device-links.js'
import * as explain from '../../src/core/control/explain/explain.js'
import * as history from '../../src/core/control/history.js'
import * as schedule from '../../src/core/control/schedule.js'
import * as simulation from '../../src/core/control/simulation.js'
import * as findStories from '../../src/core/control/stories/find-stories.js'
import { stepKinds, storyOutcomes } from '../../src/core/control/stories/tell-story.js'
import * as worldControl from '../../src/core/control/world-control.js'
import * as options from '../../src/core/mock/options.js'
import * as entries from '../../src/core/scenario/entries.js'
import * as matchmakerEntries from '../../src/core/scenario/matchmaker-entries.js'
import * as scenario from '../../src/core/scenario/schema.js'
import { scenarios } from '../../src/core/scenario/shipped.js'
import * as columns from '../../src/core/store/columns.js'
import * as inputs from '../../src/core/store/inputs.js'
import * as matchmakerRows from '../../src/core/store/matchmaker-rows.js'
import * as rows from '../../src/core/store/rows.js'
import { tableNames } from '../../src/core/store/table-names.js'
import { components, operationTypes } from './operation-types.js'
import { inputTypes } from './table-inputs.js'
import { type Declaration, declarationOf, literals, namesOf, type TypeOfSchema } from './type-declarations.js'
import { commentText } from './type-text.js'

type Schemas = Readonly<Record<string, unknown>>

/** Lists exported schemas of a file, each for the type of its name. */
function typesOf(file: string, exported: Schemas, names: readonly string[]): TypeOfSchema[] {
  return names.map(name => typeOf(file, exported[name], name))
}

function typeOf(
  file: string,
  exported: unknown,
  name: string,
  more: Partial<Pick<TypeOfSchema, 'side' | 'isOptions' | 'doc'>> = {},
): TypeOfSchema {
  // Schemas of operations are made at their first use.
  const schema: unknown = typeof exported === 'function' ? exported() : exported
  if (!(schema instanceof z.ZodType)) throw new Error(`${file} exports no schema for the type ${name}`)
  return { name, schema, side: 'output', isOptions: false, file, doc: undefined, ...more }
}

/** Lists the members of a union of rows, each for a type of its own. */
function membersOfUnion(
  file: string,
  { options }: { readonly options: readonly z.ZodType[] },
  members: Readonly<Record<string, string>>,
): TypeOfSchema[] {
  return Object.entries(members).map(([name, doc], i) => typeOf(file, options[i], name, { doc }))
}

function optionsOf(file: string, exported: Schemas, names: readonly string[]): TypeOfSchema[] {
  return names.map(name => typeOf(file, exported[name], name, { side: 'input', isOptions: true }))
}

/** Lists the entries of a scenario: `LobbyEntry` is the schema of the type `ScenarioLobby`. */
function entriesOf(file: string, exported: Schemas, names: Readonly<Record<string, string>>): TypeOfSchema[] {
  return Object.entries(names).map(([name, schema]) => typeOf(file, exported[schema], name, { side: 'input' }))
}

/** All types that come from one schema, by the generated file. */
export const typesOfSchemas: Readonly<Record<string, readonly TypeOfSchema[]>> = {
  operations: [
    ...typesOf('src/core/contract/errors.ts', errors, ['ErrorBody']),
    ...typesOf('src/core/contract/formats.ts', formats, ['PortRange']),
    ...typesOf('src/core/contract/regions.ts', contractRegions, ['Coordinates', 'UniversalRegion']),
    ...typesOf('src/core/contract/namespaces.ts', namespaces, ['ProxyProtocol', 'Port', 'DevelopmentPort']),
    ...[...components]
      .filter(([id]) => !['Port', 'DevelopmentPort', 'ErrorBody'].includes(id))
      .map(([id, schema]) => typeOf('src/core/contract', schema, id)),
  ],
  requests: [
    ...typesOf('src/core/contract/journal.ts', journal, [
      'RequestMatch',
      'ExplainedCandidate',
      'AnswerReasons',
      'JournalEntry',
      'ExchangeMatch',
      'RequestPattern',
      'Expectation',
    ]),
    typeOf('src/core/contract/journal.ts', journal.JournalFilter, 'JournalFilter', { side: 'input' }),
    ...typesOf('src/core/contract/faults.ts', faults, [
      'FaultDelay',
      'FaultError',
      'FaultEffect',
      'Fault',
      'FaultState',
    ]),
    ...entriesOf('src/core/contract/faults.ts', faults, { ScenarioFault: 'FaultEntry' }),
    ...typesOf('src/core/contract/faults.ts', faults, ['HeldAnswer']),
    ...optionsOf('src/core/contract/faults.ts', faults, ['HeldRelease']),
  ],
  rows: [
    ...typesOf('src/core/store/columns.ts', columns, ['LobbyPort', 'ServerPorts']),
    ...typesOf('src/core/store/rows.ts', rows, ['SettingsRow', 'GameRow', 'NamespaceRow']),
    ...typesOf('src/core/store/matchmaker-rows.ts', matchmakerRows, ['RegionRow', 'GameModeRow', 'SimulationRow']),
    ...membersOfUnion('src/core/store/matchmaker-rows.ts', matchmakerRows.LobbyRow, {
      StartingLobbyRow: 'A lobby whose game server has not called ready yet.',
      ReadyLobbyRow: 'A lobby whose game server runs.',
      StoppedLobbyRow: 'A lobby that has stopped.',
    }),
    ...membersOfUnion('src/core/store/matchmaker-rows.ts', matchmakerRows.PlayerRow, {
      ReservedPlayerRow: 'A player with a seat who has not connected yet.',
      ConnectedPlayerRow: 'A player who is connected to the game server.',
      ExpiredPlayerRow: 'A player who did not connect in time.',
      RemovedPlayerRow: 'A player who has left, or was removed.',
    }),
    ...membersOfUnion('src/core/store/rows.ts', rows.DeviceLinkRow, {
      PendingDeviceLinkRow: 'A device link that nobody has completed yet.',
      CompleteDeviceLinkRow: 'A device link that a person has completed.',
    }),
    ...membersOfUnion('src/core/store/rows.ts', rows.TokenRow, {
      DevelopmentTokenRow: 'A development token of a namespace.',
      PublicTokenRow: 'A public token of a namespace.',
      CloudTokenRow: 'A cloud token of a game.',
    }),
    ...typesOf('src/core/store/matchmaker-rows.ts', matchmakerRows, ['LobbyRow', 'PlayerRow']),
    ...typesOf('src/core/store/rows.ts', rows, ['DeviceLinkRow', 'TokenRow']),
  ],
  scenario: [
    ...entriesOf('src/core/scenario/matchmaker-entries.ts', matchmakerEntries, {
      ScenarioServerPorts: 'ServerPortsEntry',
      ScenarioRegion: 'RegionEntry',
      ScenarioPlayer: 'PlayerEntry',
      ScenarioLobby: 'LobbyEntry',
      ScenarioGameMode: 'GameModeEntry',
    }),
    ...entriesOf('src/core/store/inputs.ts', inputs, {
      MaxPlayersInput: 'MaxPlayersInput',
      MatchmakerInput: 'MatchmakerInput',
      GameTokensInput: 'GameTokensInput',
      NamespaceTokensInput: 'NamespaceTokensInput',
    }),
    ...entriesOf('src/core/scenario/entries.ts', entries, {
      ScenarioPlayers: 'PlayersEntry',
      ScenarioNamespace: 'NamespaceEntry',
      ScenarioGame: 'GameEntry',
      ScenarioDeviceLink: 'DeviceLinkEntry',
      ScenarioToken: 'BearerTokenEntry',
    }),
    ...entriesOf('src/core/scenario/schema.ts', scenario, { ScenarioInput: 'Scenario' }),
  ],
  inputs: [],
  options: [
    ...optionsOf('src/core/mock/options.ts', options, ['MockmakerOptions', 'ListenOptions']),
    ...optionsOf('src/core/control/world-control.ts', worldControl, [
      'ResetOptions',
      'SnapshotOptions',
      'CapsuleOptions',
      'NewWorldOptions',
    ]),
    ...optionsOf('src/core/control/history.ts', history, ['HistoryOptions']),
    ...optionsOf('src/core/control/schedule.ts', schedule, ['ScheduleOptions']),
    ...optionsOf('src/core/control/explain/explain.ts', explain, ['Question']),
    ...optionsOf('src/core/control/stories/find-stories.ts', findStories, ['StoryFilter']),
    ...optionsOf('src/core/control/simulation.ts', simulation, ['SimulationOptions']),
    ...optionsOf('src/core/control/device-links.ts', deviceLinks, ['CompletionOptions']),
  ],
}

const nameOf = namesOf(Object.values(typesOfSchemas).flat())

/** The types that do not come from one schema. */
const more: Readonly<Record<string, () => readonly Declaration[]>> = {
  operations: () => operationTypes(nameOf),
  inputs: () => inputTypes(nameOf),
  rows: () => [
    literals('TableName', 'The name of a table.', tableNames),
    literals('WarningRule', 'A rule of warnings.', warningRules),
  ],
  options: () => [
    literals(
      'StoryOutcome',
      'How a story stands, or how it ended. `on_the_way`: the player has a seat, and has not connected yet. `never_connected`: its seat expired. `connection_lost`: it reached the age limit. `gave_up`: the client left before the answer. `wrong_lobby`: the server of another lobby reported it. `refused`: the world has no such token. `canned`: a development token got a seat in no lobby.',
      storyOutcomes,
    ),
    literals(
      'StepKind',
      'What happened in a step of a story: a change of the player, or a call that named it. A find, a join and a create have steps of their own, before that of the seat.',
      stepKinds,
    ),
  ],
  requests: () => [
    {
      name: 'OperationPattern',
      text: () =>
        `${commentText('The id of an operation, or a pattern with `*` that matches one: `devices.*`.')}export type OperationPattern = OperationId | \`\${string}*\${string}\``,
    },
    {
      name: 'AnyErrorCode',
      text: () =>
        `${commentText('The code of an error of the service, or a code of your own.')}export type AnyErrorCode = ErrorCode | (string & {})`,
    },
  ],
  scenario: () => [
    literals('ShippedScenario', 'The name of a shipped scenario.', Object.keys(scenarios)),
    {
      name: 'AnyScenarioName',
      text: () =>
        `${commentText('The name of a shipped scenario, or of the scenario that the mock began with.')}export type AnyScenarioName = ShippedScenario | (string & {})`,
    },
    {
      name: 'ScenarioNameOrPath',
      text: () =>
        `${commentText('The name of a shipped scenario, or the path of a file. A path has a slash or a dot.')}export type ScenarioNameOrPath = ShippedScenario | \`\${string}/\${string}\` | \`\${string}.\${string}\``,
    },
  ],
}

const declarations = Object.entries(typesOfSchemas).map(([file, types]) => ({
  file,
  list: [...types.map(type => declarationOf(type, nameOf)), ...(more[file]?.() ?? [])],
}))

/** The names of the generated files, without their folder. */
export const generatedFiles = declarations.map(({ file }) => file)

/** Writes a generated file of types. */
export function generatedTypes(file: string): string {
  formattedFiles ??= formatted(generatedFiles.map(textOf).join(nextFile)).split(nextFile.trim())
  return `${formattedFiles[generatedFiles.indexOf(file)]?.trim()}\n`
}

/** Stands between the files while they are formatted, because the formatter takes long to start. */
const nextFile = '\n\n// The next file.\n\n'
let formattedFiles: readonly string[] | undefined

function textOf(file: string): string {
  const { list } = declarations.find(one => one.file === file) ?? { list: [] }
  const texts = list.map(one => one.text())
  const own = new Set(list.map(({ name }) => name))
  const words = new Set(
    texts
      .join('\n')
      .replace(/\/\*\*.*?\*\/|'[^']*'/gs, '')
      .match(/\b[A-Z]\w*/g),
  )
  const imports = declarations
    .filter(other => other.file !== file)
    .flatMap(other => {
      const used = other.list.map(({ name }) => name).filter(name => words.has(name) && !own.has(name))
      return used.length > 0 ? [`import type { ${used.sort().join(', ')} } from './${other.file}.js'`] : []
    })
  const head = '// `npm run generate` writes this file from the schemas.\n'
  return `${[head + imports.join('\n'), ...texts].join('\n\n')}\n`
}

function formatted(text: string): string {
  return execFileSync('node_modules/.bin/biome', ['format', '--stdin-file-path=src/core/generated/file.ts'], {
    input: text,
    encoding: 'utf8',
  })
}
