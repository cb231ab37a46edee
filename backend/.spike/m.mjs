import mongoose from 'mongoose';
import { rm } from 'node:fs/promises';
import net from 'node:net';
const real='/tmp/sk-mongo/data/run/mongodb.sock';
const uri='mongodb://%2Ftmp%2Fsk-mongo%2Fproxy.sock/?directConnection=true';
await rm('/tmp/sk-mongo/proxy.sock',{force:true});
process.on('unhandledRejection', e=>console.log('UNHANDLED',e.message));
const c = mongoose.createConnection();
const opts=()=>({serverSelectionTimeoutMS:1500, bufferCommands:false});
const t=Date.now();
try{ await c.openUri(uri,opts()) }catch(e){console.log('op1',e.name,Date.now()-t)}
try{ await c.openUri(uri,opts()) }catch(e){console.log('op2',e.name,Date.now()-t)}
const server=net.createServer(s=>{const u=net.connect(real);s.pipe(u).pipe(s);s.on('error',()=>u.destroy());u.on('error',()=>s.destroy());}); 
const socks=new Set(); server.on('connection',s=>{socks.add(s)});
await new Promise(r=>server.listen('/tmp/sk-mongo/proxy.sock',r));
try{ await c.openUri(uri,opts()); console.log(await c.getClient().db('x').collection('a').countDocuments({}), 'up', c.readyState) }catch(e){console.log('op3',e.name,e.message)}
const db=c.getClient().db('u_1');const col=db.collection('b');
await col.deleteMany({});
const r= await col.insertMany([{_id:1,n:1},{_id:2,n:2.5}],{ordered:true,writeConcern:{w:1,journal:true},maxTimeMS:5000});console.log(r);
for (const f of [()=>col.insertMany([{_id:1}]),()=>col.updateOne({_id:1},{$set:{_id:3}}),()=>col.find({$foo:1}).toArray(), ()=>col.find({},{promoteValues:false}).toArray(), ()=>col.aggregate([{$collStats:{storageStats:{}}}]).toArray(), ()=>db.listCollections({},{nameOnly:true}).toArray(), ()=>col.createIndex({n:1},{unique:true,maxTimeMS:5000}), ()=>col.insertOne({_id:9,n:2.5}), ()=>col.updateOne({_id:1},{$inc:{n:1}},{maxTimeMS:1000}),()=>col.find({$expr:{$eq:[1,{$function:{body:'function(){return 1}',args:[],lang:'js'}}]}}).toArray(),()=>col.aggregate([{$match:{$where:'sleep(10)'}}],{maxTimeMS:1}).toArray(), ()=>col.insertOne({_id:1,'$x':{$y:1}}),()=>col.updateOne({_id:1},{$set:{a:{$inc:1}}}), ()=>col.aggregate([{$lookup:{from:'b',as:'x',localField:'a',foreignField:'b'}},{$unionWith:{coll:'b'}}]).toArray()]) {
 try { console.log(f.toString().slice(4,60), JSON.stringify(await f()).slice(0,700)) } catch(e){ console.log(f.toString().slice(4,60), e.name,e.constructor.name,e.code,e.message, e.keyValue, e.insertedCount, e.result?.insertedCount, e.writeErrors?.length) }
}
// break mid-op
const cur=col.find({},{batchSize:1}); await cur.next(); console.log('cursor id',String(cur.id),cur.bufferedCount());await cur.next();console.log(String(cur.id),cur.bufferedCount());console.log(await cur.next());console.log(String(cur.id),cur.closed);
for(const s of socks)s.destroy(); server.close();
try{ await col.insertOne({_id:50}) }catch(e){console.log('broken',e.name,e.errorLabels, e.message)}
try{ await col.insertOne({_id:50}) }catch(e){console.log('broken2',e.name,e.errorLabels,e.message)}
await new Promise(r=>server.listen('/tmp/sk-mongo/proxy.sock',r));
console.log(await col.insertOne({_id:50}), c.readyState);
console.log(c.readyState);server.close();for(const s of socks)s.destroy();await new Promise(r=>setTimeout(r,100));console.log(c.readyState);await c.close(); console.log('closed'); server.close(); for(const s of socks)s.destroy();
