import { StartError } from '@smsgw/daemon/start-error'
import type { Random } from '../random.ts'
import { generatePassword, passwordProblem } from './password.ts'
import type { Terminal } from './terminal.ts'

interface ChoosePasswordDeps {
  readonly terminal: Terminal
  readonly random: Random
}

/** Gets a new password: typed twice, from standard input, or generated. Never from an argument, which others could see. */
export async function choosePassword(
  { terminal, random }: ChoosePasswordDeps,
  username: string,
  options: { readonly generate?: boolean | undefined; readonly 'password-stdin'?: boolean | undefined },
): Promise<{ readonly password: string; readonly isGenerated: boolean }> {
  if (options.generate && options['password-stdin'])
    throw new StartError('--generate and --password-stdin exclude each other: use one of them')
  if (options.generate) return { password: generatePassword(random), isGenerated: true }
  if (options['password-stdin'])
    return { password: acceptable(firstLine(await terminal.readInput()), username), isGenerated: false }
  if (!terminal.isInteractive)
    throw new StartError('cannot ask for a password without a terminal: use --password-stdin to read it, or --generate')
  const password = await terminal.askHidden(`Password for ${username} (leave empty to generate one): `)
  if (password === '') return { password: generatePassword(random), isGenerated: true }
  acceptable(password, username)
  if ((await terminal.askHidden('Once more: ')) !== password)
    throw new StartError('the passwords differ; nothing changed')
  return { password, isGenerated: false }
}

function firstLine(input: string): string {
  return input.split(/\r?\n/, 1)[0] ?? ''
}

function acceptable(password: string, username: string): string {
  const problem = passwordProblem(password, username)
  if (problem !== undefined) throw new StartError(problem)
  return password
}
