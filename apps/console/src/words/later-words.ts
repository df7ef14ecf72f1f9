// English texts that the first page of the console does not need: about diagnostics and the causes of failures. Only
// the modules that show these texts import this module, so the first page loads 6 kB less. The build divides `en.json`
// between this import and all other imports (vite.config.ts). The catalogues of other languages are loaded as a whole.
import texts from './en.json' with { type: 'json' }
import { addEnglish } from './text.ts'

addEnglish(texts)
