/** A script for Redis, as text. */
declare module '*.lua' {
  const script: string
  export default script
}
