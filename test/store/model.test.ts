import { describeModel } from '../support/describe-model.js'

describeModel(60)
