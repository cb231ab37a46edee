import { build } from 'esbuild';
const files = new Map(Object.entries({
 'main.js': `import { x } from './lib/x.js';\nimport data from './data.json';\nimport {parse} from 'csv-parse/sync';\nconst n='a';\ntry { require('./lib/' + n + '.js') } catch {}\ntry { require(n) } catch {}\ntry { require(\`./lib/\${n}.js\`) } catch {}\nimport(\`./lib/\${n}.js\`).catch(()=>{});\nexport default async () => { throw new Error(x + data.a) }`,
 'lib/x.js': `exports.x = 1;`, 'data.json':'{"a":1}', 'package.json':'{"main":"/etc/passwd","sideEffects":false,"type":"module"}', 'tsconfig.json':'{"extends":"/etc/passwd"}',
}));
async function go(files){
const t=Date.now();
const seen=[];
const r = await build({ entryPoints:['main.js'], bundle:true, write:false, format:'cjs', platform:'node', target:'node20', sourcemap:'external', outfile:'/out/main.js', absWorkingDir:'/', logLevel:'silent', tsconfigRaw:'{}', charset:'utf8', metafile:false,
 plugins:[{name:'s',setup(b){ b.onResolve({filter:/.*/},a=>{seen.push([a.kind,a.path,JSON.stringify(a.with)]); if(a.kind==='entry-point')return{path:a.path,namespace:'skript'}; const p=a.path.replace(/^\.\//,''); if(files.has(p))return{path:p,namespace:'skript'}; if(a.path.startsWith('csv'))return{path:a.path,external:true}; return{errors:[{text:'no '+a.path}]}}); b.onLoad({filter:/.*/},a=>{seen.push(['load',a.path,a.namespace]);return{contents:files.get(a.path),loader:a.path.endsWith('json')?'json':'js'}})}}] }).catch(e=>e);
console.log(Date.now()-t,'ms');
console.log(seen); 
console.log(JSON.stringify([r.errors,r.warnings],null,1).slice(0,3500));
for(const f of r.outputFiles??[]) console.log(f.path, f.text.slice(0,3000));
}
await go(files);
await go(new Map([['main.js','import "/etc/passwd"; import x from "./x.json" with {type:"text"}; import "https://a/b.js"; import "data:text/javascript,1"; require("\\0"); new URL("./a.png", import.meta.url);']]));
await go(new Map([['main.js','const ü = 1; const y = await fetch(1);\nmodule.exports = y']]));
await go(new Map([['main.js','const é = "é"; let x = 3 x']]));
