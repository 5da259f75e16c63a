import { describe, expect, it } from 'vitest';
import { analyze } from '../../../src/approvals/analyze.ts';
import { FACTS } from '../facts.ts';

const grade = (text: string) => analyze(text, FACTS).grade;

describe('files on another machine', () => {
  it.each([
    ["sftp host <<< 'rm /srv/a'"],
    ["printf 'cd /srv\\ndelete a\\n' | ftp -n host"],
    ["printf 'rm a\\n' > b && sftp -b b host"],
    ['sftp -b <(echo rm a) host'],
    ['lftp -f <(echo rm a) host'],
    ["lftp -e 'mirror -R --delete a b; bye' host"],
    ["lftp -e 'mirror -e a b' host"],
    ["lftp -c 'open h; rm a' host"],
    ["lftp -e 'ls && rm a' host"],
    ["lftp -e 'ls || glob -d rm a' host"],
    ["ncftp host <<< 'mdel a'"],
    ["tftp -c 'del a'"],
    ["smbclient //h/s -c 'cd x; del a'"],
    ["curl -Q 'DELE a' ftp://host/"],
    ["curl -Q '-RMD a' ftp://host/"],
    ["curl -X 'DELE a' ftp://host/"],
    ["nsupdate <<< 'update delete a.example A'"],
    ["nsupdate <<< 'del a.example A'"],
  ])('are deleted: %s', (text) => expect(grade(text)).toBe('dangerous'));

  it.each([
    ["sftp host <<< 'get a'"],
    ["printf 'get a\\n' > b && sftp -b b host"],
    ["printf 'rm a\\n' > b && sftp -b c host"],
    ['sftp -b <(echo get a) host'],
    ["lftp -e 'mirror -R a b; bye' host"],
    ["lftp -e 'mirror --exclude x a b; bye' host"],
    ["tftp -c 'get a'"],
    ["smbclient //h/s -c 'get a'"],
    ['curl -Q NOOP ftp://host/'],
    ["curl ftp://host/ <<< 'DELE a'"],
    ["nsupdate <<< 'update add a.example 60 A 10.0.0.1'"],
    ['sftp host < cmds'],
  ])('stay: %s', (text) => expect(grade(text)).toBe('safe'));
});
