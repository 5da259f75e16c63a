import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One module; the path is relative to `src`, with `.ts`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export function readSources(folder: string): readonly SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
}

const TOKEN =
  /(?<regex>(?<=[=(,:!&|?{};[>]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*)|(?<template>`(?:\\.|[^`\\])*`)|(?<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)/g;

/** The text without its comments; line breaks stay. */
export function withoutComments(text: string): string {
  return text.replace(TOKEN, (whole, ...rest) => (groups(rest)['comment'] ? blank(whole) : whole));
}

/** Without templates too: code of other programs stands in them. */
function ownStatements(text: string): string {
  return withoutComments(text).replace(TOKEN, (whole, ...rest) => (groups(rest)['template'] ? blank(whole) : whole));
}

/** What runs: without comments, quoted text and patterns. Templates stay, since code stands in them. */
export function codeOnly(text: string): string {
  return text.replace(TOKEN, (whole, ...rest) => (groups(rest)['template'] ? whole : blank(whole)));
}

function groups(rest: readonly unknown[]): Readonly<Record<string, string | undefined>> {
  return rest.at(-1) as Record<string, string | undefined>;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

const IMPORT =
  /(?:^|[;\n])\s*(?:import|export)\s(?:[^'";]*?\sfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]|new URL\(\s*['"](\.[^'"]+\.ts)['"]/g;

/** What a module imports, also for types, also lazily, also as a worker: packages by name, ours relative to `src`. */
export function importsOf({ path, text }: SourceFile): readonly string[] {
  const names = [...ownStatements(text).matchAll(IMPORT)].map((found) => found[1] ?? found[2] ?? found[3] ?? '');
  return names.map((name) => (name.startsWith('.') ? join(path, '..', name) : name));
}

export function isOurs(name: string): boolean {
  return /\.(?:ts|mjs)$/.test(name);
}
