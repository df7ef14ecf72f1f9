/** An option of a benchmark, as its call of `parseArgs` declares it. */
interface BenchOption {
  readonly name: string
  readonly takesValue: boolean
}

/** Returns the options that the source of a benchmark declares. */
export function benchOptions(source: string): readonly BenchOption[] {
  return [...source.matchAll(/'?([a-z][A-Za-z-]*)'?: \{ type: '(string|boolean)'/g)].map(([, name = '', type]) => {
    return { name, takesValue: type === 'string' }
  })
}

/** Returns the first option that the benchmark does not have; undefined if it has all of them. */
export function unknownOption(source: string, words: readonly string[]): string | undefined {
  const known = benchOptions(source).map(({ name }) => `--${name}`)
  return words.find((word) => word.startsWith('--') && !known.includes(word.replace(/=.*$/, '')))
}

/** Describes a benchmark: the comment at the beginning of its source, and its options. */
export function benchUsage(name: string, source: string): string {
  const comment = /^(?:\/\/.*\n)*/.exec(source)?.[0].replace(/^\/\/ ?/gm, '') ?? ''
  const options = benchOptions(source).map((option) => `  --${option.name}${option.takesValue ? ' <value>' : ''}\n`)
  const list = options.length === 0 ? 'It has no options.\n' : `Options:\n${options.join('')}`
  return [`npm run bench -- ${name}\n`, comment, list].filter((part) => part !== '').join('\n')
}
