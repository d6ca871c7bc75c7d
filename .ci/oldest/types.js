// Checks the declarations of mockmaker beside those of the peers. To check the peers too would take four times as long.
import ts from 'typescript5.4'

const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
const program = ts.createProgram(fileNames, options)
const own = program.getSourceFiles().filter(({ fileName }) => /node_modules\/mockmaker\/|types\.ts$/.test(fileName))
const problems = own.flatMap(file => [
  ...program.getSyntacticDiagnostics(file),
  ...program.getSemanticDiagnostics(file),
])
const host = { getCanonicalFileName: name => name, getCurrentDirectory: () => '.', getNewLine: () => '\n' }
process.stdout.write(ts.formatDiagnostics(problems, host))
process.exitCode = problems.length === 0 && own.length > 50 ? 0 : 1
