import { expect } from 'vitest'
import type { JournalEntry } from '../../src/core/contract/journal.js'
import { answerEntryPoint } from '../support/entry-points.js'
import { itKeepsEvidence, noting } from '../support/evidence.js'
import { describeThrough } from '../support/fixtures.js'
import { specifyServiceCloudTests } from './service-cloud.js'
import { specifyServiceMatchmakerTests } from './service-matchmaker.js'

/** The name of the running test of the service. Its tests set limits in a database, so this call shows nothing. */
const sourceOf = ({ operation }: JournalEntry) =>
  operation === 'games.namespaces.updateGameNamespaceMatchmakerConfig'
    ? undefined
    : expect.getState().currentTestName?.split(' > ').at(-1)

describeThrough(noting(answerEntryPoint, sourceOf), frame => {
  specifyServiceCloudTests(frame)
  specifyServiceMatchmakerTests(frame)
})
itKeepsEvidence()
