import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { StartError } from '../start-error.ts'
import { printable, printableJson } from './printable.ts'

/** Input and output of a command. */
export interface Terminal {
  /** True if a person can answer questions. */
  readonly isInteractive: boolean
  /** Prints one line. Control and formatting characters are escaped, because names could control the terminal. */
  print(line: string): void
  ask(question: string): Promise<string>
  /** Asks a question without showing the typed answer. */
  askHidden(question: string): Promise<string>
  /** Reads standard input to its end. */
  readInput(): Promise<string>
}

/** Writes questions to standard error, so that the output of a command can be piped. */
export const processTerminal: Terminal = {
  get isInteractive() {
    return process.stdin.isTTY === true && process.stderr.isTTY === true
  },
  print: (line) => void process.stdout.write(`${printable(line)}\n`),
  ask: (question) => ask(question, process.stderr),
  async askHidden(question) {
    process.stderr.write(question)
    const answer = await ask('', new Writable({ write: (_chunk, _encoding, done) => done() }))
    process.stderr.write('\n')
    return answer
  },
  readInput: () => text(process.stdin),
}

/** Prints a value as indented JSON. */
export function printJson({ print }: Pick<Terminal, 'print'>, value: unknown): void {
  for (const line of printableJson(value, 2).split('\n')) print(line)
}

function ask(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  return new Promise((resolve, reject) => {
    lines.once('close', () => reject(new StartError('cancelled, nothing changed')))
    lines.once('SIGINT', () => lines.close())
    lines.question(question, (answer) => {
      resolve(answer)
      lines.close()
    })
  })
}
