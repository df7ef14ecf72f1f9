// English texts that few pages need: about diagnostics, and about causes (English pages usually show the texts of the
// API instead). A page that shows diagnostics imports this module, so that the first page of the console loads 6 kB
// less. The build removes all other texts from this import, and removes these texts from the other imports of `en.json`
// (vite.config.ts). The catalogues of other languages are loaded as a whole.
import texts from './en.json' with { type: 'json' }
import { addEnglish } from './text.ts'

addEnglish(texts)
