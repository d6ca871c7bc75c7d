export default {
  tags: ['autodocs'],
}
