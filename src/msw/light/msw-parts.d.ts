// Each major of MSW has one of them.

declare module 'msw/core/http' {
  export const http: typeof import('msw').http
}

declare module 'msw/http' {
  export const http: typeof import('msw').http
}
