// Loads parts of the package at their first use. Only `require` with a constant name does that at once, in Node, in Jest and in
// bundlers. So this file stays CommonJS, and nothing bundles it.

exports.yaml = () => require('./yaml-library.cjs')
exports.controlOpenapi = () => require('./control-openapi.cjs')
exports.dashboard = () => require('./dashboard.cjs')
exports.deviceLink = () => require('./device-link.cjs')
