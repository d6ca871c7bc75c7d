import { getKey } from '../lib/json.js'

/** The objects that count already. A changed row shares its unchanged values with its former version. */
const counted = new WeakSet<object>()

/** The memory of a change of a row of a simulation with short values, measured. */
const rowBytes = 250

/** Estimates the memory of a change to a row, in bytes. Values of an earlier row count once. */
export function memoryOfRow(row: object | undefined): number {
  let bytes = rowBytes
  for (const name in row) {
    const value = getKey(row, name)
    if (typeof value === 'string') bytes += value.length > 100 ? value.length : 0
    else if (typeof value === 'object' && value !== null && !counted.has(value)) {
      counted.add(value)
      bytes += memoryOfJson(value)
    }
  }
  return bytes
}

function memoryOfJson(value: unknown): number {
  if (typeof value === 'string') return 16 + value.length
  if (typeof value !== 'object' || value === null) return 8
  let bytes = 50
  if (Array.isArray(value)) for (const item of value) bytes += memoryOfJson(item)
  else for (const [name, field] of Object.entries(value)) bytes += 16 + name.length + memoryOfJson(field)
  return bytes
}
