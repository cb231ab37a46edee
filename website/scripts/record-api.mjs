// Calls every documented route of a running Trawl and saves requests and responses to content/api-examples.json, from
// which the API pages take their examples.
//
//     npm start                                (in another terminal)
//     npm run record-api -w @trawl/website
//
// Use a data folder that you do not need: the script leaves an account behind and restarts a connected worker.
//
// A test makes the same calls and writes them to another file, the first argument.
import { writeFile } from 'node:fs/promises';
import { recordExchanges } from './record-exchanges.mjs';
import { recordItems } from './record-items.mjs';
import { recordReplay } from './record-replay.mjs';
import { recordProxies, recordSessions } from './record-sessions.mjs';
import { recordStorage } from './record-storage.mjs';
import { recordWorkers } from './record-workers.mjs';
import { accountOf, eventually, PRACTICE_URL, send, signedIn, tokenInMailTo } from './trawl-client.mjs';

const OUTPUT = process.argv[2] ?? new URL('../content/api-examples.json', import.meta.url);
const MAIN_JS = `const { echo } = require('@trawl/echo');
const { dataset, mongo } = require('@trawl/storage');

module.exports = async ({ base_url }) => {
  const html = await (await fetch(base_url)).text();
  const [, title] = /<title>(.*?)<.title>/.exec(html);
  echo.log('Read', title);
  await mongo.collection('titles').updateOne({ address: base_url }, { $set: { title } }, { upsert: true });
  await dataset.push({ title, chars: html.length });
  return { title };
};
`;

const examples = {};

/** Sends a request and records it under its operation. `hide` maps keys to replacements for secret values. */
async function record(operationId, method, path, { body, csv, token, hide = {} } = {}) {
  const { status, answer } = await send(method, path, { body, csv, token });
  examples[operationId] = {
    path,
    ...(body !== undefined && { body: hidden(body, hide) }),
    status,
    answer: hidden(answer, hide),
  };
  return answer;
}

const hidden = (value, hide) =>
  typeof value === 'object' ? JSON.parse(JSON.stringify(value, (key, part) => hide[key] ?? part)) : value;

const { username, password } = await accountOf('developer');
const { jwtToken: token } = await record('login', 'POST', '/panel/login', {
  body: { username, password },
  hide: { password: '…', jwtToken: 'eyJhbGciOi…' },
});
const admin = await signedIn('admin');
const { call } = await signedIn('developer');
const go = (operationId, method, path, body) => record(operationId, method, path, { body, token });

// The forms of the website, with a made-up person.
const email = `ada-${Date.now()}@example.com`;
const person = { country: 'Croatia', x: 3, y: 4, result: 7 };
await record('getIp', 'GET', '/ip');
await record('sendContactMessage', 'POST', '/www/contact', {
  body: {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    subject: 'Pricing Inquiry',
    msg: 'We sell garden tools in four countries and want the prices of six competitors every morning before eight, as one CSV. Which of it can you do?',
    ...person,
  },
});
await record('signUp', 'POST', '/www/users/register', {
  body: { first_name: 'Ada', last_name: 'Lovelace', email, city: 'Zagreb', ...person },
});
const linkToken = await tokenInMailTo(email);
await record('readPasswordLink', 'POST', '/www/users/password-link', {
  body: { token: linkToken },
  hide: { token: '…' },
});
await record('setPassword', 'POST', '/www/users/set-password', {
  body: { token: linkToken, password: 'lantern and rope' },
  // Long enough for the password rule.
  hide: { password: '… at least 10 characters …', token: '…' },
});
await record('forgotPassword', 'POST', '/www/users/forgot-password', { body: { email } });
const [message] = (
  await record('listContactMessages', 'GET', '/joint-api/contact-messages/list?limit=1', { token: admin.token })
).items;
await record('getContactMessage', 'GET', `/joint-api/contact-messages/${message.id}`, { token: admin.token });
const demo = await record('createDemoAccount', 'POST', `/joint-api/contact-messages/${message.id}/demo-account`, {
  body: { days: 7 },
  token: admin.token,
  hide: { password: '…' },
});
await send('DELETE', `/joint-api/users/${demo.id}`, { token: admin.token });
await record('deleteContactMessage', 'DELETE', `/joint-api/contact-messages/${message.id}`, { token: admin.token });

await record('isLive', 'GET', '/health/live');
await record('isReady', 'GET', '/health/ready');
await go('getAccount', 'GET', '/joint-api/account');
await go('updatePreferences', 'PUT', '/joint-api/account/preferences', {
  saved_filters: [{ list: 'runs', name: 'Failed runs', query: 'action=error' }],
});
await call('PUT', '/joint-api/account/preferences', { saved_filters: [] });
const key = await record('createApiKey', 'POST', '/joint-api/keys/addnew', {
  body: { name: `nightly import ${Date.now()}`, scope: 'run', expires_at: '2099-01-01T00:00:00.000Z' },
  token,
  hide: { key: 'trk_…', name: 'nightly import' },
});
const goHidden = (operationId, method, path, body) =>
  record(operationId, method, path, { body, token, hide: { name: 'nightly import' } });
await goHidden('listApiKeys', 'GET', '/joint-api/keys/list?limit=1');
await goHidden('getApiKey', 'GET', `/joint-api/keys/${key.id}`);
await goHidden('updateApiKey', 'PUT', `/joint-api/keys/${key.id}`, { name: `weekly import ${Date.now()}` });
await go('deleteApiKey', 'DELETE', `/joint-api/keys/${key.id}`);
await go('getNotificationSettings', 'GET', '/joint-api/account/notifications');
await go('updateNotificationSettings', 'PUT', '/joint-api/account/notifications', {
  email_events: ['schedule.missed', 'schedule.problem', 'run.failed'],
});
await call('PUT', '/joint-api/account/notifications', {
  email_events: ['schedule.missed', 'schedule.problem', 'quota.warning'],
});
const hideSecret = { token, hide: { secret: 'whsec_…' } };
const webhook = await record('createWebhook', 'POST', '/joint-api/webhooks/addnew', {
  body: {
    name: 'on-call chat',
    url: 'https://receiver.example.com/trawl',
    events: ['run.failed', 'schedule.missed'],
  },
  ...hideSecret,
});
const webhookPath = `/joint-api/webhooks/${webhook.id}`;
await go('listWebhooks', 'GET', '/joint-api/webhooks/list?limit=1');
await go('getWebhook', 'GET', webhookPath);
await go('updateWebhook', 'PUT', webhookPath, { events: ['run.failed'] });
await record('rotateWebhookSecret', 'POST', `${webhookPath}/secret`, hideSecret);
const delivery = await go('testWebhook', 'POST', `${webhookPath}/test`);
await go('listWebhookDeliveries', 'GET', `${webhookPath}/deliveries/list?limit=1`);
await go('getWebhookDelivery', 'GET', `${webhookPath}/deliveries/${delivery.id}`);
await record('getWebhookDeliveryRequest', 'GET', `${webhookPath}/deliveries/${delivery.id}/request`, {
  token,
  hide: { 'webhook-signature': 'v1,…' },
});
await go('resendWebhookDelivery', 'POST', `${webhookPath}/deliveries/${delivery.id}/resend`);
await go('deleteWebhook', 'DELETE', webhookPath);
await recordWorkers({ record, go, call, admin });

const asAdmin = { token: admin.token };
await record('startMaintenance', 'PUT', '/joint-api/maintenance', {
  body: { message: 'We move to a larger database. Your runs start afterwards.', until: '2099-01-01T00:00:00.000Z' },
  ...asAdmin,
});
await record('getPlatformHealth', 'GET', '/joint-api/platform-health', asAdmin);
await record('getPlatformRunSeries', 'GET', '/joint-api/dashboard/platform-series?hours=1', asAdmin);
await record('endMaintenance', 'DELETE', '/joint-api/maintenance', asAdmin);

const userBody = { username: `grace-${Date.now()}@example.com`, role: 'developer', quotas: { runs_at_once: 100 } };
const hideUser = { token: admin.token, hide: { username: 'grace@example.com' } };
const user = await record('createUser', 'POST', '/joint-api/users/addnew', { body: userBody, ...hideUser });
await record('listUsers', 'GET', '/joint-api/users/list?name_contains=grace&limit=1', hideUser);
await record('getUser', 'GET', `/joint-api/users/${user.id}`, hideUser);
await record('updateUser', 'PUT', `/joint-api/users/${user.id}`, { body: { disabled: true }, ...hideUser });
await record('deleteUser', 'DELETE', `/joint-api/users/${user.id}`, hideUser);

const skript = await go('createSkript', 'POST', '/joint-api/skripts/addnew', {
  title: 'Page title',
  description: 'Stores the title of one page.',
  category: 'general',
  worker_response_timeout: 150_000,
});
const file = await go('createSkriptFile', 'POST', '/joint-api/skript-files/addnew', {
  skript_id: skript.id,
  name: 'main.js',
  content: MAIN_JS,
});
await go('listSkriptFiles', 'GET', `/joint-api/skript-files/list?skript_id=${skript.id}&name_contains=main`);
await go('getSkriptFile', 'GET', `/joint-api/skript-files/${file.id}`);
await go('updateSkriptFile', 'PUT', `/joint-api/skript-files/${file.id}`, {
  content: MAIN_JS.replace("'Read'", "'Read:'"),
});
const bundle = await go('bundleSkript', 'POST', `/joint-api/skripts/${skript.id}/bundle`);
await go('getLibraryTypes', 'GET', `/joint-api/skripts/${skript.id}/library-types`);
await go('listVersions', 'GET', `/joint-api/skripts/${skript.id}/versions/list`);
await call('PUT', `/joint-api/skript-files/${file.id}`, { content: MAIN_JS.replace("'Read'", "'Title:'") });
const versions = `/joint-api/skripts/${skript.id}/versions`;
await go('getVersion', 'GET', `${versions}/${bundle.hash}`);
await go('compareVersions', 'GET', `${versions}/compare?from=${bundle.hash}&to=current`);
await go('restoreVersion', 'POST', `${versions}/${bundle.hash}/restore`);
const { answer: zip } = await send('GET', `/joint-api/skripts/${skript.id}/download`, { token });
examples.downloadSkript = {
  path: `/joint-api/skripts/${skript.id}/download`,
  answer_file: 'page-title.zip',
  status: 200,
  answer: 'page-title.zip: manifest.json, main.js',
};
const uploaded = await send('POST', '/joint-api/skripts/upload', { zip, token });
examples.uploadSkript = { path: '/joint-api/skripts/upload', file: 'page-title.zip', ...uploaded };
const listed = await go('uploadSkriptFiles', 'POST', '/joint-api/skripts/upload-files', {
  files: [
    { name: 'manifest.json', content: '{ "title": "Echo of the input" }' },
    { name: 'main.js', content: 'module.exports = input => input;\n' },
  ],
});
await call('DELETE', `/joint-api/skripts/${listed.skript.id}`);
await go('listSkripts', 'GET', '/joint-api/skripts/list?title_contains=page&sort=title&select=title,category,stale');
await go('getSkript', 'GET', `/joint-api/skripts/${skript.id}`);
await go('updateSkript', 'PUT', `/joint-api/skripts/${skript.id}`, { category: 'sci' });

const input = await go('createInput', 'POST', '/joint-api/inputs/addnew', {
  skript_id: skript.id,
  name: 'input.json',
  val: { base_url: `${PRACTICE_URL}/` },
});
await go('listInputs', 'GET', `/joint-api/inputs/list?skript_id=${skript.id}`);
await go('getInput', 'GET', `/joint-api/inputs/${input.id}`);
await go('updateInput', 'PUT', `/joint-api/inputs/${input.id}`, { name: 'input-shop.json' });

const secret = await record('createInputSecret', 'POST', '/joint-api/input-secrets/addnew', {
  body: { skript_id: skript.id, name: 'inputSecret.json', val: { password: 'lantern and rope' } },
  token,
  hide: { password: '…' },
});
await go('listInputSecrets', 'GET', `/joint-api/input-secrets/list?skript_id=${skript.id}`);
await go('getInputSecret', 'GET', `/joint-api/input-secrets/${secret.id}`);
await go('updateInputSecret', 'PUT', `/joint-api/input-secrets/${secret.id}`, { name: 'inputSecret-shop.json' });

for (const recordCalls of [recordSessions, recordProxies]) await recordCalls({ go, call });

const started = await go('startSkript', 'POST', '/joint-api/execute-skript/single-worker/start', {
  worker_id: 'any',
  skript_id: skript.id,
  input: { base_url: `${PRACTICE_URL}/` },
});
const stored = new URLSearchParams({ worker_id: 'any', skript_id: skript.id, input_id: input.id });
const run = await go('startStoredSkript', 'GET', `/joint-api/execute-skript/single-worker/start?${stored}`);
await go('startSkriptOnWorkers', 'POST', '/joint-api/execute-skript/multi-worker/start', {
  worker_ids: ['any'],
  skript_id: skript.id,
  input: { base_url: `${PRACTICE_URL}/` },
});

await go('listExecutions', 'GET', `/joint-api/skript-execution/list?skript_id=${skript.id}&limit=1`);
await go('listLatestRuns', 'GET', `/joint-api/skript-execution/latest-by-skript?skript_ids=${skript.id}`);
await go('listWrittenData', 'GET', `/joint-api/skript-execution/written-data?skript_id=${skript.id}`);
await record('listAllExecutions', 'GET', `/joint-api/skript-execution/list-all?skript_id=${skript.id}&limit=1`, {
  token: admin.token,
});
await go('getExecution', 'GET', `/joint-api/skript-execution/${run.id}`);
await go('listRunRows', 'GET', `/joint-api/skript-execution/${run.id}/rows`);
await go('compareRuns', 'GET', `/joint-api/skript-execution/${run.id}/comparison/${started.id}`);
await go('acceptVerdict', 'POST', `/joint-api/skript-execution/${run.id}/verdict/accept`);
Object.assign(examples, await recordReplay({ go, token, skriptId: skript.id }));
await go('exportRunRows', 'GET', `/joint-api/skript-execution/${run.id}/rows/export?fields=title,chars`);
await go('listEchoes', 'GET', `/joint-api/echoes/${run.id}/list?limit=10`);
await go('downloadEchoes', 'GET', `/joint-api/echoes/${run.id}/download`);
await go('streamEchoes', 'GET', `/joint-api/echoes/${run.id}/stream`);

// A run that continues until it is stopped.
await call('PUT', `/joint-api/skript-files/${file.id}`, {
  // Without the timer the run would fail with promise_never_settled.
  content: `const { echo } = require('@trawl/echo');
module.exports = () => new Promise(resolve => {
  void echo.question('Which page?', { choices: ['first', 'last'] });
  const timer = setInterval(() => {}, 1000);
  trawl.eventEmitter.on('ff-stop', () => resolve(clearInterval(timer)));
});\n`,
});
/** Starts the run, and waits until its worker has it. */
async function startLive() {
  const { id } = await call('GET', `/joint-api/execute-skript/single-worker/start?${stored}&wait_ms=0`);
  await eventually('the run to reach its worker', async () => {
    const { waiting_for } = await call('GET', `/joint-api/skript-execution/${id}`);
    return waiting_for === null;
  });
  return id;
}
const untilStopped = id =>
  eventually(`the end of run ${id}`, async () => {
    const { action } = await call('GET', `/joint-api/skript-execution/${id}`);
    return action === 'stop';
  });
const live = await startLive();
await eventually('the question of the run', async () => {
  const { items } = await call('GET', `/joint-api/echoes/${live}/list`);
  return items.length === 1;
});
await go('answerQuestion', 'POST', `/joint-api/skript-execution/${live}/answers`, { seq: 1, answer: 'last' });
await go('pauseSkript', 'GET', `/joint-api/execute-skript/single-worker/pause?skript_id=${skript.id}`);
await go('resumeSkript', 'GET', `/joint-api/execute-skript/single-worker/resume?skript_id=${skript.id}`);
await go('stopSkript', 'GET', `/joint-api/execute-skript/single-worker/stop?skript_id=${skript.id}`);
await untilStopped(live);
const next = await startLive();
await go('pauseExecution', 'POST', `/joint-api/skript-execution/${next}/pause`);
await go('resumeExecution', 'POST', `/joint-api/skript-execution/${next}/resume`);
await go('stopExecution', 'POST', `/joint-api/skript-execution/${next}/stop`);
await untilStopped(next);

await go('getDashboard', 'GET', '/joint-api/dashboard');
await go('getRunSeries', 'GET', '/joint-api/dashboard/series?hours=1');

const failing = await call('POST', '/joint-api/skripts/addnew', { title: 'Prices' });
await call('POST', '/joint-api/skript-files/addnew', {
  skript_id: failing.id,
  name: 'main.js',
  content: 'module.exports = ({ html }) => html.match(/<b>(.*?)<.b>/)[1];\n',
});
await call('POST', '/joint-api/execute-skript/single-worker/start', { skript_id: failing.id, input: { html: '' } });
const issues = `/joint-api/issues/list?skript_id=${failing.id}`;
await eventually('the issue of the failed run', async () => (await call('GET', issues)).items.length === 1);
const {
  items: [issue],
} = await go('listIssues', 'GET', issues);
await record('listAllIssues', 'GET', '/joint-api/issues/list-all?status=open', { token: admin.token });
await go('getIssue', 'GET', `/joint-api/issues/${issue.id}`);
await go('updateIssue', 'PUT', `/joint-api/issues/${issue.id}`, { status: 'resolved' });
await call('DELETE', `/joint-api/skripts/${failing.id}`);

await recordItems({ go, call });
await recordExchanges({ go, call });
await recordStorage({ record, go, call, token });

const preview = new URLSearchParams({ cron_span: '30 6 * * MON-FRI', time_zone: 'Europe/Zagreb' });
await go('previewSchedule', 'GET', `/joint-api/schedules/preview?${preview}`);
const schedule = await go('createSchedule', 'POST', '/joint-api/schedules/addnew', {
  name: 'Books, every working day',
  cron_span: '30 6 * * MON-FRI',
  time_zone: 'Europe/Zagreb',
  worker_id: 'any',
  skript_id: skript.id,
  input_id: input.id,
  catch_up: 'once',
});
await go('triggerSchedule', 'POST', `/joint-api/schedules/${schedule.id}/trigger`);
await go('listSchedules', 'GET', `/joint-api/schedules/list?skript_id=${skript.id}`);
await go('getSchedule', 'GET', `/joint-api/schedules/${schedule.id}`);
await go('updateSchedule', 'PUT', `/joint-api/schedules/${schedule.id}`, { enabled: false });
await go('listScheduleFires', 'GET', `/joint-api/schedules/${schedule.id}/fires/list`);
const sinceMidnight = new URLSearchParams({
  schedule_ids: schedule.id,
  from: `${new Date().toISOString().slice(0, 10)}T00:00:00Z`,
});
await go('countFiresByHour', 'GET', `/joint-api/schedules/fires-by-hour?${sinceMidnight}`);
await call('GET', `/joint-api/execute-skript/single-worker/stop?skript_id=${skript.id}`);
await eventually(`the end of the runs of schedule ${schedule.id}`, async () => {
  const { items } = await call('GET', `/joint-api/skript-execution/list?schedule_id=${schedule.id}`);
  return items.every(({ action }) => action !== 'start');
});
await go('deleteSchedule', 'DELETE', `/joint-api/schedules/${schedule.id}`);

await go('deleteExecutions', 'POST', '/joint-api/skript-execution/delete-many', {
  skript_id: skript.id,
  action: 'stop',
});
await go('deleteExecution', 'DELETE', `/joint-api/skript-execution/${run.id}`);
await go('deleteInputSecret', 'DELETE', `/joint-api/input-secrets/${secret.id}`);
await go('deleteInput', 'DELETE', `/joint-api/inputs/${input.id}`);
await go('deleteSkriptFile', 'DELETE', `/joint-api/skript-files/${file.id}`);
await go('deleteSkript', 'DELETE', `/joint-api/skripts/${skript.id}`);

// An account without data worth keeping.
const login = await send('POST', '/panel/login', { body: { username: email, password: 'lantern and rope' } });
const theirs = { token: login.answer.jwtToken };
await send('POST', '/joint-api/skripts/addnew', { body: { title: 'To be purged' }, ...theirs });
await record('purgeSkripts', 'POST', '/joint-api/skripts/purge', { body: { confirm: true }, ...theirs });
await send('GET', '/joint-api/account/archive', theirs);
examples.downloadAccountArchive = {
  path: '/joint-api/account/archive',
  answer_file: 'trawl-data.zip',
  status: 200,
  answer: 'trawl-data.zip: README.txt, account.json, …',
};
await record('deleteAccount', 'POST', '/joint-api/account/delete', {
  body: { username: email, password: 'lantern and rope' },
  ...theirs,
  hide: { password: '…' },
});
await record('listOwnAuditEntries', 'GET', '/joint-api/account/audit/list?limit=1', { token });
await record('listAuditEntries', 'GET', '/joint-api/audit/list?limit=2&action=updateSkript', { token: admin.token });
const sessions = await go('listSessions', 'GET', '/joint-api/account/sessions/list?limit=2');
await go('listNotices', 'GET', '/joint-api/account/notices/list?limit=2');
await go('readNotices', 'POST', '/joint-api/account/notices/read');
await record('renewSession', 'POST', '/joint-api/account/sessions/renew', { token, hide: { jwtToken: 'eyJhbGciOi…' } });
const elsewhere = sessions.items.find(({ current }) => !current);
await go('deleteSession', 'DELETE', `/joint-api/account/sessions/${elsewhere.id}`);
await record('changePassword', 'PUT', '/joint-api/account/password', {
  body: { current_password: password, new_password: password },
  token,
  hide: { current_password: '…', new_password: '… at least 10 characters …' },
});
// Changing the password ended the token.
const again = await send('POST', '/panel/login', { body: { username, password } });
await record('logout', 'POST', '/panel/logout', { token: again.answer.jwtToken });

// Readers have the practice site at the default port.
const text = JSON.stringify(examples, null, 2)
  .replaceAll(PRACTICE_URL, 'http://127.0.0.1:3001')
  .replaceAll(email, 'ada@example.com');
await writeFile(OUTPUT, `${text}\n`);
console.log(`content/api-examples.json: ${Object.keys(examples).length} calls`);
