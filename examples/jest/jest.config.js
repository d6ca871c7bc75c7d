module.exports = {
  preset: 'mockmaker',
  roots: ['test'],
}
