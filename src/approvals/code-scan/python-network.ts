import type { Effect, Use } from './effects.ts';
import { reports, writes } from './effects.ts';
import { sqlEffect } from './sql.ts';
import { asText } from './values.ts';
import { callsOwnSocket, requests, sends } from './web-effects.ts';

/** A query set that nothing narrowed. */
const deletesEveryRow: Effect = (use) => {
  if (/\bobjects\.(?:all\(\)\.)?(?:_raw_)?delete$/.test(use.name))
    use.sink.report('sql.loss', use.at, 'deletes every row of a table');
  return undefined;
};

const hasData = (use: Use) =>
  use.args.length > 1 || use.named.has('data') || use.named.has('json') || use.named.has('files');

/** Requests, connections, clouds and databases. */
export const pythonNetwork: Readonly<Record<string, Effect>> = {
  '*.connect': callsOwnSocket,
  'requests.get': requests((use) => use.named.has('data') || use.named.has('json')),
  'requests.head': requests(),
  'requests.post': sends,
  'requests.put': sends,
  'requests.patch': sends,
  'requests.delete': sends,
  'requests.request': requests(
    (use) => !/^(?:GET|HEAD|OPTIONS)$/i.test(asText(use.args[0] ?? use.named.get('method'))),
  ),
  'httpx.get': requests(),
  'httpx.post': sends,
  'httpx.put': sends,
  'httpx.patch': sends,
  'httpx.delete': sends,
  'urllib.request.urlopen': requests(hasData),
  'urllib.request.Request': requests(hasData),
  'urllib.request.urlretrieve': writes(1),
  'urllib2.urlopen': requests(hasData),
  'urllib.urlopen': requests(hasData),
  'socket.gethostbyname': requests(),
  'socket.gethostbyname_ex': requests(),
  'socket.getaddrinfo': requests(),
  'dns.resolver.resolve': requests(),
  'dns.resolver.query': requests(),
  'urllib3.request': requests(),
  'webbrowser.open': requests(),
  'requests.Session().get': requests(),
  'httpx.Client().get': requests(),
  'socket.socket': sends,
  'socket.create_connection': sends,
  'socket.create_server': sends,
  'smtplib.*': sends,
  'ftplib.*': sends,
  'telnetlib.*': sends,
  'paramiko.*': sends,
  'websocket.*': sends,
  'websockets.*': sends,
  'xmlrpc.client.ServerProxy': sends,
  'http.server.*': reports('code.send', 'serves files to the network'),
  'http.client.HTTPConnection': sends,
  'http.client.HTTPSConnection': sends,
  'aiohttp.ClientSession': sends,
  '*.sendall': sends,
  '*.sendto': sends,
  '*.sendmail': sends,
  '*.send_message': sends,
  '*.upload_file': sends,
  '*.upload_fileobj': sends,
  '*.put_object': sends,
  '*.storbinary': sends,
  '*.post': sends,
  '*.delete_object': reports('infra.cloud'),
  '*.delete_objects': reports('infra.cloud'),
  '*.delete_bucket': reports('infra.cloud'),
  '*.terminate_instances': reports('infra.cloud'),
  '*.delete_many': reports('sql.store'),
  '*.drop_database': reports('sql.store'),
  '*.drop_collection': reports('sql.store'),
  '*.flushall': reports('sql.store'),
  '*.flushdb': reports('sql.store'),
  '*.drop_all': reports('sql.store'),
  '*.delete': deletesEveryRow,
  '*.execute': sqlEffect,
  '*.executescript': sqlEffect,
  '*.executemany': sqlEffect,
};
