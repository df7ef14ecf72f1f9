import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a modem sends in the tests of another program. */
export interface Reply {
  /** The file of the dialogue, such as `at-sms/02.dump`, or the file and the number of the reply. */
  readonly name: string
  readonly text: string
  /** The command that the reply answers; undefined if the corpus does not name it. */
  readonly command?: string
}

/** A message and its encoding in the tests of another program. */
export interface EncodedMessage {
  readonly name: string
  readonly pdu: string
  readonly number: string
  readonly serviceCentre: string
  readonly text: string
}

/** The tests of gammu contain several kinds of replies. This list has the kinds that answer a command of the driver. */
const gammuKinds = [
  ...['at-creg', 'at-cnmi', 'at-cpms', 'at-cpms-sm', 'at-cpms-sr', 'at-smsc', 'at-smsc-failing', 'at-ussd'],
  ...['at-sms', 'at-sms-failing'],
]

/** @param source the unpacked source of gammu */
export function gammuReplies(source: string): readonly Reply[] {
  return gammuKinds.flatMap((kind) =>
    filesIn(join(source, 'tests', kind), '.dump').map(([file, text]) => ({ name: `${kind}/${file}`, text })),
  )
}

/** @param source the unpacked source of gammu */
export function gammuMessages(source: string): readonly EncodedMessage[] {
  const folder = join(source, 'tests/at-sms-encode')
  const dumps = new Map(filesIn(folder, '.dump'))
  return filesIn(folder, '.backup').map(([file, backup]) => {
    const quoted = (key: string): string => new RegExp(`^${key} *= *"(.*)"`, 'm').exec(backup)?.[1] ?? ''
    const texts = [...backup.matchAll(/^Text\d+ *= *([0-9a-f]*)/gim)].map(([, hex = '']) => hex)
    return {
      name: `at-sms-encode/${file.replace('.backup', '')}`,
      pdu: (dumps.get(file.replace('.backup', '.dump')) ?? '').trim(),
      number: quoted('Number'),
      serviceCentre: quoted('SMSC'),
      text: Buffer.from(texts.join(''), 'hex').swap16().toString('utf16le'),
    }
  })
}

/**
 * Finds the string literals in the tests. Returns those that begin with a code which the driver reads.
 *
 * @param source the unpacked source of ModemManager
 */
export function modemManagerReplies(source: string): readonly Reply[] {
  const folder = join(source, 'src')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /tests\/test-[\w-]*modem-helpers[\w-]*\.c$/.test(file))
    .sort()
    .flatMap((file) => {
      const literals = readFileSync(join(folder, file), 'latin1').match(/(?:"(?:[^"\\\n]|\\.)*"\s*)+/g) ?? []
      const texts = literals.map(textOfLiterals).filter((text) => codes.test(text.trimStart()))
      return [...new Set(texts)].map((text, index) => ({ name: `${file} ${index + 1}`, text }))
    })
}

const codes = /^\+(CREG|CGREG|CEREG|C5GREG|CNMI|CPMS|CSCA|CUSD|CMGL|CMGR|COPS|CSQ|CNUM|CCLK): ?./

function textOfLiterals(literals: string): string {
  return [...literals.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)].map(([, text = '']) => unescaped(text)).join('')
}

/**
 * Returns the commands of the fake modems and their replies.
 *
 * @param source the unpacked source of python-gsmmodem or one of its forks
 */
export function pythonGsmmodemReplies(source: string): readonly Reply[] {
  const modems = readFileSync(join(source, 'test/fakemodems.py'), 'utf8')
  const entries = [
    ...modems.matchAll(/'(AT[^'\n]*)\\r'\s*(?:\]\s*=|:)\s*\[((?:\s*'(?:[^'\\]|\\[\s\S])*'\s*,?)*)\s*\]/g),
  ]
  const replies = entries.map(([, command = '', lines = '']) => ({
    command,
    text: [...lines.matchAll(/'((?:[^'\\]|\\[\s\S])*)'/g)].map(([, line = '']) => unescaped(line)).join(''),
  }))
  return withoutRepetitions(replies).map((reply, index) => ({ ...reply, name: `fakemodems.py ${index + 1}` }))
}

/**
 * Returns the commands of phonesim's definition and their replies, and the unsolicited lines. Variables have their
 * first value.
 *
 * @param definition the file default.xml of phonesim
 */
export function phonesimReplies(definition: string): readonly Reply[] {
  const xml = readFileSync(definition, 'utf8').replaceAll(/<!--[\s\S]*?-->/g, '')
  const variables = new Map<string, string>()
  for (const [, name = '', value = ''] of xml.matchAll(/<set name="([^"]*)" value=(?:"|')([^>]*?)(?:"|')\s*\/>/g)) {
    if (!variables.has(name)) variables.set(name, fromXml(value))
  }
  const text = (content: string): string =>
    // `${*}` is the text that a command has in the position of its asterisk.
    unescaped(fromXml(content)).replaceAll(/\$\{([^}]*)\}/g, (_, name: string) => variables.get(name) ?? '1')
  const chats = [...xml.matchAll(/<chat>([\s\S]*?)<\/chat>/g)].flatMap(([, chat = '']) => {
    const command = /<command[^>]*>([\s\S]*?)<\/command>/.exec(chat)?.[1]
    const response = /<response[^>]*>([\s\S]*?)<\/response>/.exec(chat)?.[1]
    if (command === undefined || response === undefined || !command.startsWith('AT')) return []
    return [{ command: text(command).replaceAll('*', '1'), text: text(response) }]
  })
  const unsolicited = [...xml.matchAll(/<unsolicited[^>]*>([\s\S]*?)<\/unsolicited>/g)].map(([, line = '']) => ({
    text: text(line),
  }))
  const known = unsolicited.filter((line) => codes.test(line.text.trimStart()))
  return withoutRepetitions([...chats, ...known]).map((reply, index) => ({
    ...reply,
    name: `default.xml ${index + 1}`,
  }))
}

function fromXml(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

function unescaped(text: string): string {
  const escapes: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '\n': '' }
  return text.replaceAll(/\\([\s\S])/g, (_, char: string) => escapes[char] ?? char)
}

function withoutRepetitions<T extends Omit<Reply, 'name'>>(replies: readonly T[]): readonly T[] {
  return [...new Map(replies.map((reply) => [`${reply.command}\n${reply.text}`, reply])).values()]
}

function filesIn(folder: string, extension: string): readonly (readonly [string, string])[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith(extension))
    .sort()
    .map((file) => [file, readFileSync(join(folder, file), 'latin1')] as const)
}
