import { optionsOf, type ProgramCommands } from '@smsgw/daemon/command-line'

export const shells = ['bash', 'zsh', 'fish'] as const

export type CompletionShell = (typeof shells)[number]

/** A word that completion offers, and its description. */
interface Word {
  readonly word: string
  readonly about: string
}

/**
 * Returns the script that completes the commands and options of `smsgw` in a shell. File names are completed
 * everywhere.
 */
export function completionScript(
  shell: CompletionShell,
  programs: readonly ProgramCommands[],
  others: readonly Word[],
): string {
  const places = completions(programs, others)
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](places)
}

/**
 * The words that completion offers at each position: `/relay/accounts` → add, list, … The position '' is directly after
 * `smsgw`.
 */
type Places = ReadonlyMap<string, readonly Word[]>

function completions(programs: readonly ProgramCommands[], others: readonly Word[]): Places {
  const places = new Map<string, Map<string, string>>()
  const offer = (place: string, { word, about }: Word) => {
    const words = places.get(place) ?? new Map<string, string>()
    // Describes a word with the first line that begins with it. For example, `accounts` is described with the line of
    // `accounts add`.
    if (!words.has(word)) words.set(word, about)
    places.set(place, words)
  }
  for (const { word, about } of others) {
    const words = word.split(' ')
    offer(words.slice(0, -1).map(prefixed).join(''), { word: words.at(-1) ?? word, about })
  }
  for (const program of programs) {
    // Commands for the API are typed without the name of a program.
    const first = program.program === 'client' ? [] : [program.program]
    for (const [option, { about }] of Object.entries(first.length === 0 ? {} : (program.options ?? {})))
      offer(`/${program.program}`, { word: `--${option}`, about })
    for (const name of Object.keys(program.commands)) {
      const words = [...first, ...name.split(' ').filter(Boolean)]
      words.forEach((word, at) => {
        const about = at < first.length ? `commands of the ${word}` : (program.commands[name]?.about ?? '')
        offer(words.slice(0, at).map(prefixed).join(''), { word, about })
      })
      for (const [option, { about }] of Object.entries(optionsOf(program, name)))
        offer(words.map(prefixed).join(''), { word: `--${option}`, about })
      offer(words.map(prefixed).join(''), { word: '--help', about: 'list commands and settings' })
    }
  }
  return new Map([...places].map(([place, words]) => [place, [...words].map(([word, about]) => ({ word, about }))]))
}

const prefixed = (word: string) => `/${word}`

/** Returns all positions except the first one, as a pattern for a shell `case` statement. */
function placesBelow(places: Places): string {
  return [...places.keys()]
    .filter((place) => place !== '')
    .map(quoted)
    .join(' | ')
}

function bashScript(places: Places): string {
  return `# smsgw completion bash: eval "$(smsgw completion bash)"
_smsgw() {
  local place='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$place/$word" in ${placesBelow(places)}) place="$place/$word" ;; esac
  done
  case "$place" in
${[...places].map(([place, words]) => `    ${quoted(place)}) words=${quoted(words.map(({ word }) => word).join(' '))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _smsgw smsgw
`
}

function zshScript(places: Places): string {
  const listed = ([place, offered]: [string, readonly Word[]]) => {
    const words = offered.map(({ word, about }) => quoted(`${word}:${about.replaceAll(':', '\\:')}`))
    return `    ${quoted(place)}) offered=(${words.join(' ')}) ;;`
  }
  return `#compdef smsgw
# smsgw completion zsh: eval "$(smsgw completion zsh)"
_smsgw() {
  local place='' word
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place/$word" in ${placesBelow(places)}) place="$place/$word" ;; esac
  done
  case "$place" in
${[...places].map(listed).join('\n')}
  esac
  _describe 'smsgw' offered || _files
}
compdef _smsgw smsgw
# Where zsh loads this file as the function itself, the first completion calls it.
if [[ "\${funcstack[1]}" = _smsgw ]]; then _smsgw "$@"; fi
`
}

function fishScript(places: Places): string {
  const listed = ([place, offered]: [string, readonly Word[]]) =>
    offered.map(({ word, about }) => {
      const name = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`
      return `complete -c smsgw -n ${quoted(`__smsgw_at "${place}"`)} ${name} -d ${quoted(about)}`
    })
  return `# smsgw completion fish: smsgw completion fish | source
function __smsgw_at
  set -l place ''
  for word in (commandline -opc)[2..-1]
    switch "$place/$word"
      case ${[...places.keys()]
        .filter((place) => place !== '')
        .map(quoted)
        .join(' ')}
        set place "$place/$word"
    end
  end
  test "$place" = "$argv[1]"
end
${[...places].flatMap(listed).join('\n')}
`
}

/**
 * Quotes a word for a shell. Apostrophes in the word are replaced, because fish escapes them differently from other
 * shells.
 */
function quoted(word: string): string {
  return `'${word.replaceAll("'", '’')}'`
}
