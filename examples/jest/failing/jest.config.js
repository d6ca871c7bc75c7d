module.exports = {
  preset: 'mockmaker',
}
