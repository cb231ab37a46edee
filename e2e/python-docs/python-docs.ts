export { type ServedFolder, serveFolder } from '../harness/serve-folder.js';
export { countIndependently, type PageFacts, pagesIn } from './count-independently.js';
export { fetchPythonDocs, type PythonDocs } from './debian-package.js';
