import type { JournalEntry } from '../contract/journal.js'

/** Names a request and its answer in a message. Its id would be a number that no other output shows. */
export function requestText({ method, path, status }: JournalEntry): string {
  return `${method} ${path} → ${status}`
}
