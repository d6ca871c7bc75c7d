// The page of a server. That of a copy has no invitation, because no client reaches its mock.
import { Invitation, TryNext } from './requests/invitation.js'
import { addServedParts } from './world/copy.js'
import './main.js'

addServedParts({ Invitation, TryNext })
