export { countIndependently, type PageFacts } from './count-independently.js';
export { fetchPythonDocs, type PythonDocs } from './debian-package.js';
export { type ServedFolder, serveFolder } from './serve-folder.js';
