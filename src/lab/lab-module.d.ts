declare module '#lab' {
  export const checkFunctionClient: typeof import('./lab.js').lab
}
