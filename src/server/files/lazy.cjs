// Loads parts of the package at their first use. Only `require` with a constant name does that at once, in Node, in Jest and in
// bundlers. So this file stays CommonJS, and nothing bundles it.

exports.yaml = () => require('./yaml-library.cjs')
exports.controlOpenapi = () => require('./control-openapi.cjs')
exports.capsule = () => require('./capsule.cjs')
exports.dashboard = () => require('./dashboard.cjs')
exports.deviceLink = () => require('./device-link.cjs')

// An optional peer: bundlers and tracers take it along if it is there, and `try` lets them go on without.
exports.express = () => {
  try {
    return require('express')
  } catch {
    // Rollup leaves the call as it is, in a module without `require`. The VM pools of vitest cannot run Express.
    const from = typeof __filename === 'string' ? __filename : process.argv[1]
    return process.getBuiltinModule('node:module').createRequire(from)('express')
  }
}
