export { type ServedFolder, serveFolder } from '../harness/serve-folder.js';
export { countIndependently, type PageFacts } from './count-independently.js';
export { fetchPythonDocs, type PythonDocs } from './debian-package.js';
