// English texts that the first page of the console does not need: about diagnostics, and about the causes of failures.
// The modules that show these texts import this module, so that the first page loads 6 kB less. The build removes all other texts from this import, and removes these texts from the other imports of `en.json`
// (vite.config.ts). The catalogues of other languages are loaded as a whole.
import texts from './en.json' with { type: 'json' }
import { addEnglish } from './text.ts'

addEnglish(texts)
