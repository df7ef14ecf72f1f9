/**
 * A text of the API as a sentence. These texts begin in lower case, and some begin with an identifier such as
 * `textMessage.text`, which keeps its spelling.
 */
export function sentence(text: string): string {
  return /^\p{Ll}[\p{Ll}’'-]*(?=[\s,:;]|$)/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}
