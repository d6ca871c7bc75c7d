/** Where a call comes from. */
export interface Client {
  /** Of the machine that asks, or of the player whom a proxy names. */
  readonly address: string
  /** Whether that is this machine, as the connection has it: then all who play on it have the same. */
  readonly isLocal: boolean
  /** For how long it plays once it is connected, in ms: of one whom the simulation sends. */
  readonly sessionMs?: number
}
