/** A word as the shell of Windows takes it: as it is where it is plain, else between double quotes. It still expands `%NAME%`. */
export function windowsWord(word: string): string {
  return /^[\w@+=:,./\\-]+$/.test(word) ? word : `"${word.replaceAll('"', '""')}"`
}
