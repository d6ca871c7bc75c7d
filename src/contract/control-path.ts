/** What stands before the paths of the control API. */
export const controlPath = '/__mock'

/** Whether a path is one of the control API. */
export function isControlPath(path: string): boolean {
  return path === controlPath || path.startsWith(`${controlPath}/`)
}
