import { vi } from 'vitest'
import { describeModel } from '../support/describe-model.js'

vi.setConfig({ testTimeout: 600_000 })

describeModel(3000)
