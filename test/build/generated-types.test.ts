import { readFileSync } from 'node:fs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type * as z from 'zod'
import type * as auth from '../../src/core/contract/auth.js'
import type * as errors from '../../src/core/contract/errors.js'
import type * as faults from '../../src/core/contract/faults.js'
import type * as formats from '../../src/core/contract/formats.js'
import type * as games from '../../src/core/contract/games.js'
import type * as journal from '../../src/core/contract/journal.js'
import type * as lobbies from '../../src/core/contract/lobbies.js'
import type * as namespaces from '../../src/core/contract/namespaces.js'
import type { Operations } from '../../src/core/contract/operations.js'
import type * as regions from '../../src/core/contract/regions.js'
import type * as deviceLinks from '../../src/core/control/device-links.js'
import type * as explain from '../../src/core/control/explain/explain.js'
import type * as history from '../../src/core/control/history.js'
import type * as schedule from '../../src/core/control/schedule.js'
import type * as simulation from '../../src/core/control/simulation.js'
import type * as stories from '../../src/core/control/stories/find-stories.js'
import type { stepKinds, storyOutcomes } from '../../src/core/control/stories/tell-story.js'
import type * as worlds from '../../src/core/control/world-control.js'
import type * as create from '../../src/core/generated/inputs.js'
import type * as operations from '../../src/core/generated/operations.js'
import type * as options from '../../src/core/generated/options.js'
import type * as requests from '../../src/core/generated/requests.js'
import type * as rows from '../../src/core/generated/rows.js'
import type * as scenario from '../../src/core/generated/scenario.js'
import type * as mock from '../../src/core/mock/options.js'
import type * as entries from '../../src/core/scenario/entries.js'
import type * as matchmakerEntries from '../../src/core/scenario/matchmaker-entries.js'
import type { Scenario } from '../../src/core/scenario/schema.js'
import type { scenarios } from '../../src/core/scenario/shipped.js'
import type * as columns from '../../src/core/store/columns.js'
import type * as inputs from '../../src/core/store/inputs.js'
import type * as matchmaker from '../../src/core/store/matchmaker-rows.js'
import type * as tables from '../../src/core/store/rows.js'
import { typesOfSchemas } from './generated-types.js'

// The compiler checks these tests: `npm run typecheck`.

type PartOf<Spec, Name extends string> = Spec extends { [name in Name]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : unknown

type InputOf<Spec> = PartOf<Spec, 'params'> &
  PartOf<Spec, 'query'> &
  PartOf<Spec, 'headers'> &
  PartOf<Spec, 'body'> &
  (Spec extends { jsonBody: infer Schema extends z.ZodType } ? { jsonBody: z.output<Schema> } : unknown)

/** What a schema gives that is made at its first use. */
type Made<Make extends () => z.ZodType> = z.output<ReturnType<Make>>

/** The keys of an intersection in one type. */
type Flat<Type> = unknown extends Type ? object : { [Key in keyof Type]: Type[Key] }

/** What a schema takes: the arrays are read-only. The journal of a scenario has entries as the mock returns them. */
type InputType<Schema extends z.ZodType> = WithReadonlyArrays<z.input<Schema>>

type WithReadonlyArrays<Type> = Type extends requests.JournalEntry | string
  ? Type
  : Type extends readonly unknown[]
    ? { readonly [At in keyof Type]: WithReadonlyArrays<Type[At]> }
    : Type extends object
      ? { [Key in keyof Type]: WithReadonlyArrays<Type[Key]> }
      : Type

type OutputOf<Spec> = Spec extends { output: infer Schema extends z.ZodType } ? z.output<Schema> : undefined

describe('a generated type is equal to the type of its schema', () => {
  it('of answers', () => {
    expectTypeOf<operations.ErrorBody>().toEqualTypeOf<Made<typeof errors.ErrorBody>>()
    expectTypeOf<operations.PortRange>().toEqualTypeOf<z.output<typeof formats.PortRange>>()
    expectTypeOf<operations.Coordinates>().toEqualTypeOf<Made<typeof regions.Coordinates>>()
    expectTypeOf<operations.UniversalRegion>().toEqualTypeOf<Made<typeof regions.UniversalRegion>>()
    expectTypeOf<operations.ProxyProtocol>().toEqualTypeOf<Made<typeof namespaces.ProxyProtocol>>()
    expectTypeOf<operations.Port>().toEqualTypeOf<Made<typeof namespaces.Port>>()
    expectTypeOf<operations.DevelopmentPort>().toEqualTypeOf<Made<typeof namespaces.DevelopmentPort>>()
    expectTypeOf<operations.GameMode>().toEqualTypeOf<Made<typeof lobbies.GameMode>>()
    expectTypeOf<operations.Lobby>().toEqualTypeOf<Made<typeof lobbies.Lobby>>()
    expectTypeOf<operations.Region>().toEqualTypeOf<Made<typeof regions.Region>>()
    expectTypeOf<operations.JoinPort>().toEqualTypeOf<Made<typeof lobbies.JoinPort>>()
    expectTypeOf<operations.Join>().toEqualTypeOf<Made<typeof lobbies.Join>>()
    expectTypeOf<operations.NamespaceSummary>().toEqualTypeOf<Made<typeof games.NamespaceSummary>>()
    expectTypeOf<operations.VersionSummary>().toEqualTypeOf<Made<typeof games.VersionSummary>>()
    expectTypeOf<operations.RegionSummary>().toEqualTypeOf<Made<typeof regions.RegionSummary>>()
    expectTypeOf<operations.Game>().toEqualTypeOf<Made<typeof games.Game>>()
    expectTypeOf<operations.Watch>().toEqualTypeOf<z.output<typeof formats.Watch>>()
    expectTypeOf<operations.ValidationError>().toEqualTypeOf<Made<typeof namespaces.ValidationError>>()
    expectTypeOf<operations.Validation>().toEqualTypeOf<Made<typeof namespaces.Validation>>()
    expectTypeOf<operations.Namespace>().toEqualTypeOf<Made<typeof namespaces.Namespace>>()
    expectTypeOf<operations.DeviceLink>().toEqualTypeOf<Made<typeof auth.DeviceLink>>()
    expectTypeOf<operations.PreparedDeviceLink>().toEqualTypeOf<Made<typeof auth.PreparedDeviceLink>>()
    expectTypeOf<operations.Bootstrap>().toEqualTypeOf<Made<typeof auth.Bootstrap>>()
    expectTypeOf<operations.Agent>().toEqualTypeOf<Made<typeof auth.Agent>>()
  })

  it('of requests, journal entries and faults', () => {
    expectTypeOf<requests.RequestMatch>().toEqualTypeOf<Made<typeof journal.RequestMatch>>()
    expectTypeOf<requests.ExplainedCandidate>().toEqualTypeOf<Made<typeof journal.ExplainedCandidate>>()
    expectTypeOf<requests.AnswerReasons>().toEqualTypeOf<Made<typeof journal.AnswerReasons>>()
    expectTypeOf<requests.JournalEntry>().toEqualTypeOf<Made<typeof journal.JournalEntry>>()
    expectTypeOf<requests.ExchangeMatch>().toEqualTypeOf<Made<typeof journal.ExchangeMatch>>()
    expectTypeOf<requests.RequestPattern>().toEqualTypeOf<Made<typeof journal.RequestPattern>>()
    expectTypeOf<requests.Expectation>().toEqualTypeOf<Made<typeof journal.Expectation>>()
    expectTypeOf<requests.JournalFilter>().toEqualTypeOf<z.input<ReturnType<typeof journal.JournalFilter>>>()
    expectTypeOf<requests.FaultDelay>().toEqualTypeOf<Made<typeof faults.FaultDelay>>()
    expectTypeOf<requests.FaultError>().toEqualTypeOf<Made<typeof faults.FaultError>>()
    expectTypeOf<requests.FaultEffect>().toEqualTypeOf<Made<typeof faults.FaultEffect>>()
    expectTypeOf<requests.Fault>().toEqualTypeOf<Made<typeof faults.Fault>>()
    expectTypeOf<requests.HeldAnswer>().toEqualTypeOf<Made<typeof faults.HeldAnswer>>()
    expectTypeOf<requests.HeldRelease>().toEqualTypeOf<Readonly<z.input<ReturnType<typeof faults.HeldRelease>>>>()
    expectTypeOf<requests.FaultState>().toEqualTypeOf<Made<typeof faults.FaultState>>()
    expectTypeOf<requests.ScenarioFault>().toEqualTypeOf<InputType<ReturnType<typeof faults.FaultEntry>>>()
  })

  it('of rows', () => {
    expectTypeOf<rows.LobbyPort>().toEqualTypeOf<z.output<typeof columns.LobbyPort>>()
    expectTypeOf<rows.ServerPorts>().toEqualTypeOf<z.output<typeof columns.ServerPorts>>()
    expectTypeOf<rows.SettingsRow>().toEqualTypeOf<z.output<typeof tables.SettingsRow>>()
    expectTypeOf<rows.GameRow>().toEqualTypeOf<z.output<typeof tables.GameRow>>()
    expectTypeOf<rows.NamespaceRow>().toEqualTypeOf<z.output<typeof tables.NamespaceRow>>()
    expectTypeOf<rows.DeviceLinkRow>().toEqualTypeOf<z.output<typeof tables.DeviceLinkRow>>()
    expectTypeOf<rows.TokenRow>().toEqualTypeOf<z.output<typeof tables.TokenRow>>()
    expectTypeOf<rows.RegionRow>().toEqualTypeOf<z.output<typeof matchmaker.RegionRow>>()
    expectTypeOf<rows.GameModeRow>().toEqualTypeOf<z.output<typeof matchmaker.GameModeRow>>()
    expectTypeOf<rows.SimulationRow>().toEqualTypeOf<z.output<typeof matchmaker.SimulationRow>>()
    expectTypeOf<rows.LobbyRow>().toEqualTypeOf<z.output<typeof matchmaker.LobbyRow>>()
    expectTypeOf<rows.PlayerRow>().toEqualTypeOf<z.output<typeof matchmaker.PlayerRow>>()
  })

  it('of the members of unions of rows', () => {
    expectTypeOf<rows.StartingLobbyRow>().toEqualTypeOf<Extract<rows.LobbyRow, { status: 'starting' }>>()
    expectTypeOf<rows.ReadyLobbyRow>().toEqualTypeOf<Extract<rows.LobbyRow, { status: 'ready' }>>()
    expectTypeOf<rows.StoppedLobbyRow>().toEqualTypeOf<Extract<rows.LobbyRow, { status: 'stopped' }>>()
    expectTypeOf<rows.ReservedPlayerRow>().toEqualTypeOf<Extract<rows.PlayerRow, { status: 'reserved' }>>()
    expectTypeOf<rows.ConnectedPlayerRow>().toEqualTypeOf<Extract<rows.PlayerRow, { status: 'connected' }>>()
    expectTypeOf<rows.ExpiredPlayerRow>().toEqualTypeOf<Extract<rows.PlayerRow, { status: 'expired' }>>()
    expectTypeOf<rows.RemovedPlayerRow>().toEqualTypeOf<Extract<rows.PlayerRow, { status: 'removed' }>>()
    expectTypeOf<rows.PendingDeviceLinkRow>().toEqualTypeOf<Extract<rows.DeviceLinkRow, { status: 'pending' }>>()
    expectTypeOf<rows.CompleteDeviceLinkRow>().toEqualTypeOf<Extract<rows.DeviceLinkRow, { status: 'complete' }>>()
    expectTypeOf<rows.DevelopmentTokenRow>().toEqualTypeOf<Extract<rows.TokenRow, { kind: 'development' }>>()
    expectTypeOf<rows.PublicTokenRow>().toEqualTypeOf<Extract<rows.TokenRow, { kind: 'public' }>>()
    expectTypeOf<rows.CloudTokenRow>().toEqualTypeOf<Extract<rows.TokenRow, { kind: 'cloud' }>>()
  })

  it('of scenarios', () => {
    expectTypeOf<scenario.ScenarioServerPorts>().toEqualTypeOf<InputType<typeof matchmakerEntries.ServerPortsEntry>>()
    expectTypeOf<scenario.ScenarioRegion>().toEqualTypeOf<InputType<typeof matchmakerEntries.RegionEntry>>()
    expectTypeOf<scenario.ScenarioPlayer>().toEqualTypeOf<InputType<typeof matchmakerEntries.PlayerEntry>>()
    expectTypeOf<scenario.ScenarioLobby>().toEqualTypeOf<InputType<typeof matchmakerEntries.LobbyEntry>>()
    expectTypeOf<scenario.ScenarioGameMode>().toEqualTypeOf<InputType<typeof matchmakerEntries.GameModeEntry>>()
    expectTypeOf<scenario.MaxPlayersInput>().toEqualTypeOf<InputType<typeof inputs.MaxPlayersInput>>()
    expectTypeOf<scenario.MatchmakerInput>().toEqualTypeOf<InputType<typeof inputs.MatchmakerInput>>()
    expectTypeOf<scenario.GameTokensInput>().toEqualTypeOf<InputType<typeof inputs.GameTokensInput>>()
    expectTypeOf<scenario.NamespaceTokensInput>().toEqualTypeOf<InputType<typeof inputs.NamespaceTokensInput>>()
    expectTypeOf<scenario.ScenarioPlayers>().toEqualTypeOf<InputType<typeof entries.PlayersEntry>>()
    expectTypeOf<scenario.ScenarioNamespace>().toEqualTypeOf<InputType<typeof entries.NamespaceEntry>>()
    expectTypeOf<scenario.ScenarioGame>().toEqualTypeOf<InputType<typeof entries.GameEntry>>()
    expectTypeOf<scenario.ScenarioDeviceLink>().toEqualTypeOf<InputType<typeof entries.DeviceLinkEntry>>()
    expectTypeOf<scenario.ScenarioToken>().toEqualTypeOf<InputType<typeof entries.BearerTokenEntry>>()
    expectTypeOf<scenario.ScenarioInput>().toEqualTypeOf<InputType<ReturnType<typeof Scenario>>>()
  })

  it('of options', () => {
    expectTypeOf<options.MockmakerOptions>().toEqualTypeOf<Readonly<z.input<typeof mock.MockmakerOptions>>>()
    expectTypeOf<options.ListenOptions>().toEqualTypeOf<Readonly<z.input<ReturnType<typeof mock.ListenOptions>>>>()
    expectTypeOf<options.ResetOptions>().toEqualTypeOf<Readonly<z.input<ReturnType<typeof worlds.ResetOptions>>>>()
    expectTypeOf<options.CapsuleOptions>().toEqualTypeOf<Readonly<z.input<ReturnType<typeof worlds.CapsuleOptions>>>>()
    expectTypeOf<options.SnapshotOptions>().toEqualTypeOf<
      Readonly<z.input<ReturnType<typeof worlds.SnapshotOptions>>>
    >()
    expectTypeOf<options.NewWorldOptions>().toEqualTypeOf<
      Readonly<z.input<ReturnType<typeof worlds.NewWorldOptions>>>
    >()
    expectTypeOf<options.HistoryOptions>().toEqualTypeOf<Readonly<z.input<ReturnType<typeof history.HistoryOptions>>>>()
    expectTypeOf<options.ScheduleOptions>().toEqualTypeOf<
      Readonly<z.input<ReturnType<typeof schedule.ScheduleOptions>>>
    >()
    expectTypeOf<options.StoryFilter>().toEqualTypeOf<Readonly<z.input<ReturnType<typeof stories.StoryFilter>>>>()
    expectTypeOf<options.Question>().toEqualTypeOf<Readonly<z.input<ReturnType<typeof explain.Question>>>>()
    expectTypeOf<options.SimulationOptions>().toEqualTypeOf<
      Readonly<z.input<ReturnType<typeof simulation.SimulationOptions>>>
    >()
    expectTypeOf<options.CompletionOptions>().toEqualTypeOf<
      Readonly<z.input<ReturnType<typeof deviceLinks.CompletionOptions>>>
    >()
  })

  it('of inputs and outputs of operations', () => {
    expectTypeOf<operations.OperationId>().toEqualTypeOf<keyof Operations>()
    expectTypeOf<operations.OperationInputs>().toEqualTypeOf<{
      [Id in keyof Operations]: Flat<InputOf<Operations[Id]>>
    }>()
    expectTypeOf<operations.OperationOutputs>().toEqualTypeOf<{ [Id in keyof Operations]: OutputOf<Operations[Id]> }>()
  })

  it('of names', () => {
    expectTypeOf<operations.ErrorCode>().toEqualTypeOf<keyof typeof errors.errorStatus>()
    expectTypeOf<rows.TableName>().toEqualTypeOf<keyof tables.Rows>()
    expectTypeOf<options.StoryOutcome>().toEqualTypeOf<(typeof storyOutcomes)[number]>()
    expectTypeOf<options.StepKind>().toEqualTypeOf<(typeof stepKinds)[number]>()
    expectTypeOf<scenario.ShippedScenario>().toEqualTypeOf<keyof typeof scenarios>()
  })

  it('of names that may also be others', () => {
    // In a plain `string` the names would vanish, and editors could not complete them.
    expectTypeOf<
      Extract<scenario.AnyScenarioName, scenario.ShippedScenario>
    >().toEqualTypeOf<scenario.ShippedScenario>()
    expectTypeOf<string>().toExtend<scenario.AnyScenarioName>()
  })

  it('for each of them', () => {
    const text = readFileSync('test/build/generated-types.test.ts', 'utf8')
    const names = Object.entries(typesOfSchemas).flatMap(([file, types]) => types.map(({ name }) => `${file}.${name}`))

    expect(names.filter(name => !text.includes(`expectTypeOf<${name}>()`))).toEqual([])
  })
})

describe('an input of a table', () => {
  it('takes a row', () => {
    expectTypeOf<rows.LobbyRow>().toExtend<create.LobbyInput>()
    expectTypeOf<rows.PlayerRow>().toExtend<create.PlayerInput>()
    expectTypeOf<rows.GameModeRow>().toExtend<create.GameModeInput>()
    expectTypeOf<rows.RegionRow>().toExtend<create.RegionInput>()
    expectTypeOf<rows.NamespaceRow>().toExtend<create.NamespaceInput>()
    expectTypeOf<rows.GameRow>().toExtend<create.GameInput>()
    expectTypeOf<rows.SimulationRow>().toExtend<create.SimulationInput>()
    expectTypeOf<rows.DeviceLinkRow>().toExtend<create.DeviceLinkInput>()
    expectTypeOf<rows.TokenRow>().toExtend<create.TokenInput>()
  })

  it('takes the keys of a scenario', () => {
    expectTypeOf<scenario.ScenarioLobby>().toExtend<create.LobbyInput>()
    expectTypeOf<scenario.ScenarioPlayer & { lobby_id: string }>().toExtend<create.PlayerInput>()
    expectTypeOf<scenario.ScenarioGameMode>().toExtend<string | create.GameModeInput>()
    expectTypeOf<scenario.ScenarioRegion>().toExtend<string | create.RegionInput>()
    expectTypeOf<Omit<scenario.ScenarioNamespace, 'generate'> & { name_id: string }>().toExtend<create.NamespaceInput>()
    expectTypeOf<Omit<scenario.ScenarioPlayers, 'command' | 'find'>>().toExtend<create.SimulationInput>()
    expectTypeOf<scenario.ScenarioDeviceLink>().toExtend<create.DeviceLinkInput>()
  })
})
