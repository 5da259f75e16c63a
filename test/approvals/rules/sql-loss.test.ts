import { describe, expect, it } from 'vitest';
import { textLoss } from '../../../src/approvals/rules/sql-text.ts';

const EVERY_ROW = 'deletes every row of a table';
const SERVER = 'runs a program on the database server';

describe('what a text of SQL would lose', () => {
  it.each([
    ['drop table x', 'drops a table'],
    ['drop thing x', 'drops something from the database'],
    ['truncate x', 'empties a table'],
    ['with a as (select 1) delete from x', EVERY_ROW],
    ['update x set a = 1', 'changes every row of a table'],
    ['alter table x drop column y', 'drops a part of a table'],
    ['alter table x delete where 1', 'deletes rows'],
    ['alter table x truncate partition p', 'deletes rows'],
    ["alter user x password 'y'", 'changes an account or the server'],
    ['alter database a rename to b', 'renames a database'],
    ['flush tables', 'flushes or purges what the server keeps'],
    ["purge binary logs to 'x'", 'flushes or purges what the server keeps'],
    ['reset master', 'flushes or purges what the server keeps'],
    ['revoke select on x from y', 'changes who may do what in the database'],
    ['grant all on x to y', 'changes who may do what in the database'],
    ['create role r superuser', 'makes an account that may do everything'],
    ["set password = 'x'", 'changes an account or the server'],
    ['merge into a using b on a.i = b.i when matched then delete', 'deletes the rows that match'],
    ['restore database x', 'replaces a database'],
    ['shutdown', 'stops the server or a session'],
    ['kill 5', 'stops the server or a session'],
    ["copy t from program 'x'", SERVER],
    ["exec xp_cmdshell 'x'", SERVER],
    ["execute sp_configure 'x', 1", SERVER],
    ["call xp_cmdshell('x')", SERVER],
    ['do language plpythonu $$ x $$', SERVER],
    ['select pg_terminate_backend(1)', 'calls a function that reaches beyond the data'],
    ["replace into t select load_extension('x')", 'calls a function that reaches beyond the data'],
    ["select 1 into outfile '/x'", 'writes a file on the database server'],
  ])('%s', (text, why) => expect(textLoss(text)).toBe(why));

  it.each([
    ['update x set a = 1 where b = 2'],
    ['update statistics x'],
    ['with a as (select 1) select 1'],
    ['alter table a rename to b'],
    ['alter database a set b to c'],
    ['reset timezone'],
    ['grant select on x to y'],
    ['create role r login'],
    ['create table superuser (a int)'],
    ['create table t (a int) superuser'],
    ['set x = 1'],
    ['select password'],
    ['merge into a using b on a.i = b.i when matched then update set x = 1'],
    ['restore x'],
    ['replace into t values (1)'],
    ["load data infile 'x' into table t"],
    ["copy t from '/x'"],
    ['exec foo'],
    ['call foo()'],
    ['do language plpgsql $$ begin perform 1; end $$'],
    ['create function f() returns int language plpythonu as $$ x $$'],
    ['select xp_cmdshell'],
    ['select pg_terminate_backend'],
    ['select a into b'],
    [' '],
  ])('nothing: %s', (text) => expect(textLoss(text)).toBeNull());
});

describe('a plan of a statement', () => {
  it.each([
    ['explain analyze delete from x'],
    ['explain (analyze) delete from x'],
    ['explain (analyze, verbose) delete from x'],
    ['explain analyse verbose delete from x'],
    ['analyze format=json delete from x'],
  ])('is more than one where it is carried out: %s', (text) => expect(textLoss(text)).toBe(EVERY_ROW));

  it.each([
    ['explain delete from x'],
    ['explain (verbose) delete from x'],
    ['explain (analyze) delete from x where id = 3'],
    ['describe x'],
    ['analyze table x'],
    ['analyze x'],
  ])('loses nothing: %s', (text) => expect(textLoss(text)).toBeNull());
});

describe('a condition', () => {
  it.each([
    ['id > 0'],
    ['id is not null'],
    ['id <> 0'],
    ['id != 0'],
    ['$$a$$ = $$a$$'],
    ['1 = 1 and 2 = 2'],
    ['a = 3 or 1 = 1'],
    ['id in (select id from x)'],
    ["name like '%'"],
    ['a = a'],
    ['1 < 2'],
    ['1 <> 2'],
    ["'a' = 'a'"],
    ['2 >= 1'],
    ['1 >= 1'],
    ['true order by a'],
    ['1 limit 1'],
    ['not false'],
  ])('that always holds is none: %s', (where) => expect(textLoss(`delete from x where ${where}`)).toBe(EVERY_ROW));

  it.each([
    ['id = 3'],
    ['1 = 1 and a = 3'],
    ['a = 3 or b = 4'],
    ['id in (select id from y)'],
    ["name like '%a'"],
    ['a = b'],
    ['a < 1'],
    ['1 < 1'],
    ['1 = 2'],
    ["'a' = 'b'"],
    ['a is null'],
    ['id = 3 limit 1'],
    ['a = 3 returning 1'],
  ])('picks rows: %s', (where) => expect(textLoss(`delete from x where ${where}`)).toBeNull());
});

describe('what stands around statements', () => {
  it.each([
    ['/* x */ drop table a'],
    ['/*!50000 drop table a */'],
    ['/* a /* b */ c */ drop table a'],
    ['-- a\ndrop table a'],
    ["do $a$ begin execute 'drop table a'; end $a$"],
    ['do $$ begin perform 1; drop table a; end'],
    ['select $$ a $$; drop table a'],
    ['delimiter //\ndrop table a//'],
    ['delimiter //\nselect 1//\ndelimiter ;\ndrop table a;'],
    ['select 1\ngo\ndrop table a\ngo'],
    ["select 'drop table a' \\gexec"],
    ['select 1 \\G drop table a'],
    ['.tables\ndrop table a'],
    ['\\x \\\\ drop table a'],
    ['select 1\n\\x\ndrop table a'],
    ['use x\ndrop table a'],
    ["select ';';;drop table a"],
  ])('hides none: %j', (text) => expect(textLoss(text)).toBe('drops a table'));

  it.each([
    ['/* drop table a */'],
    ['/*! select 1 */'],
    ['/* a'],
    ['-- drop table a\nselect 1'],
    ['# drop table a'],
    ['do $$ begin delete from x where id = 3; end $$'],
    ["do $a$ begin execute 'select 1'; end $a$"],
    ['select $$;drop table a$$'],
    ['select $$ a'],
    ["select 'drop table a' \\g"],
    ["select 'select 1' \\gexec"],
    ['.mode csv'],
    ['\\x drop table a'],
    ['\\? drop table a'],
    ['select `drop`;'],
    ['select "a;drop table x"'],
    ["select 'it''s; drop table x'"],
    ['create trigger t before\ntruncate on x'],
  ])('is no statement: %j', (text) => expect(textLoss(text)).toBeNull());

  it('may replace the database', () => expect(textLoss('.restore x')).toBe('replaces a database'));
});
