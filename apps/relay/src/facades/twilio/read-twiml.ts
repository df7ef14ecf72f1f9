import { readXml, type TwimlElement, XmlError } from './xml-reader.ts'

/** The answer of a receiver to a webhook request about a received message. */
export interface TwimlAnswer {
  /** The replies to the sender of the message, in order. */
  readonly replies: readonly string[]
  /** The parts of the answer that were not carried out, for the log of the account. */
  readonly problems: readonly string[]
}

const NOTHING: TwimlAnswer = { replies: [], problems: [] }
/** The largest number of messages in one answer. Further messages are not sent. */
const MOST_REPLIES = 10
const LONGEST_REPLY = 1600

/**
 * Reads the answer to a received message: TwiML, or a plain text, which is one reply. Other answers, such as `OK`
 * without a content type, are not a reply.
 *
 * @param sender the number that replies go to
 */
export function readTwiml(contentType: string | undefined, body: string, sender: string): TwimlAnswer {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (body.trim() === '') return NOTHING
  if (mediaType === 'text/plain') return bounded([body.trim()], [])
  if (mediaType === undefined || !XML.includes(mediaType)) return NOTHING
  try {
    return responseOf(readXml(body.trim()), sender)
  } catch (error) {
    if (error instanceof XmlError) return { replies: [], problems: [`the answer is not TwiML: it ${error.message}`] }
    throw error
  }
}

const XML = ['text/xml', 'application/xml', 'text/html']

function responseOf({ name, elements, text }: TwimlElement, sender: string): TwimlAnswer {
  if (name !== 'Response') return { replies: [], problems: [`the answer is not TwiML: its root element is ${name}`] }
  const replies: string[] = []
  const problems = text.trim() === '' ? [] : ['text outside the elements of the answer was ignored']
  for (const verb of elements) {
    if (verb.name === 'Message' || verb.name === 'Sms') {
      const problem = readMessage(verb, sender, replies)
      if (problem !== undefined) problems.push(problem)
    } else problems.push(`<${verb.name}> in the answer is not supported and was ignored`)
    // Verbs after a redirect are not carried out, because the redirect would lead to another document.
    if (verb.name === 'Redirect') break
  }
  return bounded(replies, problems)
}

/** Adds the text of a message. Returns a problem if the text, or another part of the message, was left out. */
function readMessage(
  { attributes, elements, text }: TwimlElement,
  sender: string,
  replies: string[],
): string | undefined {
  const to = attributes.get('to')
  if (to !== undefined && to !== sender) return 'a message in the answer is for another number and was not sent'
  const bodies = elements.filter(({ name }) => name === 'Body')
  const others = elements.filter(({ name }) => name !== 'Body')
  const content = (bodies.length === 0 ? text : bodies.map((body) => body.text).join('')).trim()
  if (content !== '') replies.push(content)
  if (others.length > 0) return `<${others[0]?.name}> in a message of the answer is not supported and was ignored`
  return content === '' ? 'a message in the answer has no text' : undefined
}

function bounded(replies: readonly string[], problems: readonly string[]): TwimlAnswer {
  const short = replies.filter((text) => [...text].length <= LONGEST_REPLY)
  return {
    replies: short.slice(0, MOST_REPLIES),
    problems: [
      ...problems,
      ...(short.length < replies.length ? [`a reply has more than ${LONGEST_REPLY} characters and was not sent`] : []),
      ...(short.length > MOST_REPLIES
        ? [`the answer has more than ${MOST_REPLIES} messages, the rest was not sent`]
        : []),
    ],
  }
}
